/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a harness over files, and over the files of directories: what libFuzzer does with -runs=0. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>

#define LIMIT ((size_t)8 << 20)

static unsigned int count;

static int run_file(int dir, const char *name)
{
	auto_free char *text = NULL;
	auto_free uint8_t *data = NULL;
	size_t len;
	int r = file_read(dir, name, LIMIT, &text, &len);

	if (r) {
		fprintf(stderr, "%s: %s\n", name, strerror(-r));
		return r;
	}
	/* a copy of its exact size, for the sanitizer to see a read beyond its end */
	data = malloc(len ? len : 1);
	if (!data)
		return -1;
	memcpy(data, text, len);
	fprintf(stderr, "%s\n", name);
	LLVMFuzzerTestOneInput(data, len);
	count++;
	return 0;
}

static int run(const char *path)
{
	auto_closedir DIR *dir = opendir(path);
	int bad = 0;

	if (!dir)
		return run_file(AT_FDCWD, path);
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.')
			bad |= run_file(dirfd(dir), entry->d_name);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= run(argv[i]);
	fprintf(stderr, "%u inputs\n", count);
	return bad || !count; /* an empty corpus tests nothing */
}
