/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a PCI function from its driver, and giving it to one. */
#include "base/cleanup.h"
#include "kernel/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int tell_driver(int sysfs, const char *path, const char *bdf)
{
	auto_close int fd = openat(sysfs, path, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, bdf, strlen(bdf)) < 0 ? -errno : 0;
}

/*
 * A driver binds in the context of whoever asks for it, and a kill of that interrupts it anywhere: no kernel thread can
 * then be made (EINTR), parts of the driver fail, and the function is bound all the same. Runtimes that lose patience
 * kill, and HCAs take seconds. So it is a child of its own session that asks.
 */
static int tell_driver_by_child(int sysfs, const char *path, const char *bdf)
{
	pid_t pid = fork(), r;
	int status;

	if (pid < 0)
		return -errno;
	if (!pid) {
		setsid();
		_exit(-tell_driver(sysfs, path, bdf));
	}
	do {
		r = waitpid(pid, &status, 0);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int tell(int sysfs, const char *driver, const char *what, const char *bdf)
{
	char path[PATH_MAX];

	if (!*driver || strchr(driver, '/') ||
	    snprintf(path, sizeof(path), "bus/pci/drivers/%s/%s", driver, what) >= PATH_MAX)
		return -EINVAL;
	return tell_driver_by_child(sysfs, path, bdf);
}

int sysfs_pci_unbind(int sysfs, const char *bdf, const char *driver)
{
	return tell(sysfs, driver, "unbind", bdf);
}

int sysfs_pci_bind(int sysfs, const char *bdf, const char *driver)
{
	return tell(sysfs, driver, "bind", bdf);
}
