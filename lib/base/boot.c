/* SPDX-License-Identifier: Apache-2.0 */
#include "base/boot.h"

#include "base/file.h"

#include <fcntl.h>
#include <string.h>

int boot_id(char ret[BOOT_ID_SIZE], struct err *e)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	char line[BOOT_ID_SIZE + 1];
	ssize_t len = file_read_line(AT_FDCWD, path, line, sizeof(line));

	if (len < 0)
		return err_set(e, CNI_ERR_IO, (int)len, "read %s", path);
	/* it becomes part of file names */
	if (len != BOOT_ID_SIZE - 1 || strspn(line, "0123456789abcdef-") != BOOT_ID_SIZE - 1)
		return err_set(e, CNI_ERR_IO, 0, "%s: '%s' is not a UUID", path, line);
	memcpy(ret, line, BOOT_ID_SIZE);
	return 0;
}
