/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/plugin.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "cni/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

static const struct cni_mark mark
	__attribute__((used, aligned(4), section(".note.cni-sriov-rdma"))) = {
		CNI_MARK_HEAD,
		.desc = PROJECT_VERSION,
	};

/*
 * A standard stream that was closed would be the next file opened, and get the result or the log in it.
 * What is opened instead cannot be read or written the way the stream is, so its use is an error still.
 */
static void streams_hold(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			/* cppcheck-suppress leakReturnValNotUsed; it is the lowest free one: fd */
			open("/dev/null", modes[fd]);
}

static int write_full(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Print the document, in one write as a rule; that it arrives matters as much as the call itself. */
static int print(json_t *doc)
{
	static const char last_resort[] = "{\"code\":5,\"msg\":\"out of memory\"}";
	auto_free char *text = doc ? json_dumps(doc, JSON_INDENT(2)) : NULL;
	size_t len;
	int r;

	if (!text) {
		write_full(STDOUT_FILENO, last_resort, strlen(last_resort));
		return -ENOMEM;
	}
	len = strlen(text);
	text[len] = '\n'; /* in place of the NUL, for one write */
	r = write_full(STDOUT_FILENO, text, len + 1);
	if (r)
		log_error("write to stdout: %s", strerror(-r));
	return r;
}

/* Messages quote input, and may be cut inside a character; a JSON string is UTF-8 nevertheless. */
static json_t *message_json(const char *text)
{
	char ascii[sizeof(((struct err *)NULL)->details)];
	json_t *string = json_string(text);

	if (string)
		return string;
	snprintf(ascii, sizeof(ascii), "%s", text);
	for (char *c = ascii; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return json_string(ascii);
}

static json_t *error_json(const struct err *e, enum cni_version version)
{
	json_t *doc = json_pack("{s:s, s:i, s:o}", "cniVersion", cni_version_names[version], "code",
				e->code, "msg", message_json(e->msg));

	if (doc && *e->details)
		json_object_set_new(doc, "details", message_json(e->details));
	return doc;
}

static json_t *version_json(enum cni_version version)
{
	json_t *list = json_array();

	for (int i = 0; i < CNI_VERSION_COUNT; i++)
		json_array_append_new(list, json_string(cni_version_names[i]));
	return json_pack("{s:s, s:o}", "cniVersion", cni_version_names[version],
			 "supportedVersions", list);
}

/* The version that an error is written in: the request's, or the newest when that cannot be told. */
static enum cni_version version_of(json_t *root)
{
	json_t *text = json_object_get(root, "cniVersion");
	enum cni_version version = CNI_VERSION_NEWEST;

	if (json_is_string(text))
		cni_version_parse(json_string_value(text), &version, &(struct err){ 0 });
	else if (json_is_object(root) && !text)
		version = CNI_VERSION_0_1_0;
	return version;
}

static cni_verb_fn *verb_fn(const struct cni_plugin *plugin, enum cni_verb verb)
{
	switch (verb) {
	case CNI_VERB_ADD:
		return plugin->add;
	case CNI_VERB_DEL:
		return plugin->del;
	case CNI_VERB_CHECK:
		return plugin->check;
	case CNI_VERB_GC:
		return plugin->gc;
	case CNI_VERB_STATUS:
		return plugin->status;
	case CNI_VERB_NONE:
	case CNI_VERB_VERSION:
		break;
	}
	return NULL;
}

static int verb_run(const struct cni_plugin *plugin, const struct cni_call *call,
		    json_t **ret_output, struct err *e)
{
	enum cni_verb verb = call->env.verb;
	cni_verb_fn *fn = verb_fn(plugin, verb);
	json_auto_t *output = NULL;
	int r;

	if (verb == CNI_VERB_VERSION) {
		*ret_output = version_json(call->conf.version);
		return 0;
	}
	if (!fn)
		return err_set(e, CNI_ERR_ENV, 0, "CNI_COMMAND: %s has no %s", plugin->name,
			       cni_verb_name(verb));
	r = fn(call, &output, e);
	if (r)
		return r;
	if (verb == CNI_VERB_ADD && !output)
		return err_set(e, CNI_ERR_KERNEL, 0, "%s: ADD has no result", plugin->name);
	*ret_output = verb == CNI_VERB_ADD ? take_ptr(output) : NULL;
	return 0;
}

/* Everything between the environment and the output. */
static int serve(const struct cni_plugin *plugin, const char *program, const struct cni_env *env,
		 json_t *root, json_t **ret_output, struct err *e)
{
	struct cni_call call = { .program = program, .env = *env };
	int r = cni_conf_check(root, env->verb, &call.conf, e);

	if (r)
		return r;
	r = verb_run(plugin, &call, ret_output, e);
	cni_conf_done(&call.conf);
	return r;
}

static int fail(const struct cni_plugin *plugin, const struct cni_env *env, json_t *root,
		struct err *e)
{
	json_auto_t *doc = NULL;

	if (!e->code) /* a verb that failed and did not say why */
		err_set(e, CNI_ERR_KERNEL, 0, "%s failed", plugin->name);
	if (*env->container_id)
		log_error("%s of %s in %s: %s", cni_verb_name(env->verb), env->ifname,
			  env->container_id, e->msg);
	else
		log_error("%s", e->msg);
	if (*e->details)
		log_error("%s", e->details);
	doc = error_json(e, version_of(root));
	print(doc);
	return EXIT_FAILURE;
}

/* CNI_COMMAND is unset: a person is there. */
static int talk(const struct cni_plugin *plugin, int argc, char **argv)
{
	if (argc > 1 && plugin->command)
		return plugin->command(argc, argv);
	fprintf(stderr, "%s\n", plugin->about);
	if (argc <= 1)
		return EXIT_SUCCESS;
	fprintf(stderr, "%s: unknown argument '%s'\n", plugin->name, argv[1]);
	return 2;
}

/* For the hashes of JSON's objects. jansson itself opens /dev/urandom, and still does when this gives nothing. */
static void seed_hashes(void)
{
	size_t seed = 0;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		json_object_seed(seed);
}

static const char *program_name(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;

	return slash ? slash + 1 : argc > 0 ? argv[0] : "";
}

int cni_main(const struct cni_plugin *plugin, int argc, char **argv)
{
	struct cni_env env = { .container_id = "", .ifname = "" };
	json_auto_t *root = NULL, *output = NULL;
	struct err e = { 0 }, conf_e = { 0 };
	int r, conf_r;

	streams_hold();
	seed_hashes();
	signal(SIGPIPE, SIG_IGN); /* a reader that is gone is an error to report, not the end */
	log_open(plugin->name, LOG_INFO, NULL);
	r = cni_env_load(&env, &e);
	if (!r && env.verb == CNI_VERB_NONE)
		return talk(plugin, argc, argv);
	/* read even when the environment is bad, as an error is told in the request's version */
	conf_r = cni_conf_load(STDIN_FILENO, &root, r ? &conf_e : &e);
	r = r ?: conf_r;
	r = r ?: serve(plugin, program_name(argc, argv), &env, root, &output, &e);
	if (r)
		return fail(plugin, &env, root, &e);
	return output && print(output) ? EXIT_FAILURE : EXIT_SUCCESS;
}
