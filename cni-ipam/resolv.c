/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define RESOLV_MAX 65536

static void append_words(json_t *dns, const char *key, char *save)
{
	json_t *list = json_object_get(dns, key);

	for (char *word = strtok_r(NULL, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (!list) {
			list = json_array();
			json_object_set_new(dns, key, list);
		}
		json_array_append_new(list, json_string(word));
	}
}

static void read_line(json_t *dns, char *line)
{
	static const struct {
		const char *word, *key;
	} lists[] = { { "nameserver", "nameservers" },
		      { "search", "search" },
		      { "options", "options" } };
	char *save, *word;

	line[strcspn(line, "#;")] = '\0';
	word = strtok_r(line, " \t", &save);
	if (!word)
		return;
	for (size_t i = 0; i < array_size(lists); i++)
		if (!strcmp(word, lists[i].word)) {
			append_words(dns, lists[i].key, save);
			return;
		}
	if (!strcmp(word, "domain")) {
		word = strtok_r(NULL, " \t", &save);
		if (word)
			json_object_set_new(dns, "domain", json_string(word));
	}
}

int resolv_read(const char *path, json_t **ret, struct err *e)
{
	auto_free char *real = realpath(path, NULL); /* on many systems it is a link */
	auto_free char *text = NULL;
	json_auto_t *dns = json_object();
	char *save, *line;
	int r = real ? file_read(AT_FDCWD, real, RESOLV_MAX, &text, NULL) : -errno;

	if (r)
		return err_set(e, CNI_ERR_IO, r, "read ipam.resolvConf %s", path);
	if (!dns)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read ipam.resolvConf %s", path);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		read_line(dns, line);
	*ret = take_ptr(dns);
	return 0;
}
