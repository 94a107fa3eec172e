/* SPDX-License-Identifier: Apache-2.0 */
/* JSON is written with ' for " here, so that it can be read. */
#include "unit.h"

#include "base/cleanup.h"
#include "cni/conf.h"

#include <errno.h>

static char *json_text(const char *text)
{
	char *own = strdup(text);

	assert_non_null(own);
	for (char *c = own; *c; c++)
		if (*c == '\'')
			*c = '"';
	return own;
}

static int parse(const char *text, enum cni_verb verb, struct cni_conf *ret, struct err *e)
{
	auto_free char *json = json_text(text);

	return cni_conf_parse(json, strlen(json), verb, ret, e);
}

static void assert_parses(const char *text, enum cni_verb verb)
{
	auto_cni_conf struct cni_conf conf = { 0 };
	struct err e = { 0 };

	if (parse(text, verb, &conf, &e))
		fail_msg("%s: %s", text, e.msg);
}

/* It fails with this code, and the message has this text. */
static void assert_fails(const char *text, enum cni_verb verb, int code, const char *says)
{
	struct cni_conf conf = { .name = "untouched" };
	struct err e = { 0 };

	assert_true(parse(text, verb, &conf, &e) < 0);
	assert_err(&e, code, says);
	assert_string_equal(conf.name, "untouched");
}

static void envelope_is_taken_apart(void **state)
{
	auto_cni_conf struct cni_conf conf = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(
		parse("{'cniVersion':'1.0.0','name':'net','type':'t','ipam':{'type':'i'},"
		      "'runtimeConfig':{'r':1},'args':{'cni':{'a':2}},'prevResult':{'p':3},"
		      "'unknown':[{}]}",
		      CNI_VERB_ADD, &conf, &e),
		0);
	assert_int_equal(conf.version, CNI_VERSION_1_0_0);
	assert_string_equal(conf.name, "net");
	assert_string_equal(conf.type, "t");
	assert_string_equal(json_string_value(json_object_get(conf.ipam, "type")), "i");
	assert_int_equal(json_integer_value(json_object_get(conf.runtime, "r")), 1);
	assert_int_equal(json_integer_value(json_object_get(conf.args_cni, "a")), 2);
	assert_int_equal(json_integer_value(json_object_get(conf.prev_result, "p")), 3);
	assert_non_null(json_object_get(conf.root, "unknown"));
}

static void absent_and_null_are_none(void **state)
{
	static const char *const texts[] = {
		"{'name':'n'}",
		"{'name':'n','cniVersion':null,'type':null,'ipam':null}",
		"{'name':'n','runtimeConfig':null,'args':null,'prevResult':null}",
		"{'name':'n','args':{}}",
		"{'name':'n','args':{'cni':null}}",
	};

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		auto_cni_conf struct cni_conf conf = { 0 };
		struct err e;

		assert_int_equal(parse(texts[i], CNI_VERB_ADD, &conf, &e), 0);
		assert_int_equal(conf.version, CNI_VERSION_0_1_0);
		assert_string_equal(conf.type, "");
		assert_null(conf.ipam);
		assert_null(conf.runtime);
		assert_null(conf.args_cni);
		assert_null(conf.prev_result);
	}
}

/* sriov-network-operator writes "ipam":{} always. */
static void ipam_of_nothing_is_none(void **state)
{
	static const char *const texts[] = { "{'name':'n','ipam':{}}",
					     "{'name':'n','ipam':{'type':''}}" };

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		auto_cni_conf struct cni_conf conf = { 0 };
		struct err e;

		assert_int_equal(parse(texts[i], CNI_VERB_ADD, &conf, &e), 0);
		assert_null(conf.ipam);
	}
	assert_fails("{'name':'n','ipam':{'subnet':'10.0.0.0/8'}}", CNI_VERB_ADD, CNI_ERR_CONFIG,
		     "ipam.type");
	assert_fails("{'name':'n','ipam':{'type':'','subnet':'x'}}", CNI_VERB_ADD, CNI_ERR_CONFIG,
		     "ipam.type");
	assert_fails("{'name':'n','ipam':{'type':7}}", CNI_VERB_ADD, CNI_ERR_CONFIG,
		     "ipam.type: 7");
}

static void wrong_types_are_told(void **state)
{
	(void)state;
	assert_fails("{'name':'n','cniVersion':1}", CNI_VERB_ADD, CNI_ERR_DECODE, "cniVersion: 1");
	assert_fails("{'name':'n','type':[]}", CNI_VERB_ADD, CNI_ERR_DECODE, "type: []");
	assert_fails("{'name':'n','ipam':'x'}", CNI_VERB_ADD, CNI_ERR_DECODE, "ipam: \"x\"");
	assert_fails("{'name':'n','runtimeConfig':7}", CNI_VERB_ADD, CNI_ERR_DECODE,
		     "runtimeConfig: 7");
	assert_fails("{'name':'n','args':true}", CNI_VERB_ADD, CNI_ERR_DECODE, "args: true");
	assert_fails("{'name':'n','args':{'cni':[1]}}", CNI_VERB_ADD, CNI_ERR_DECODE,
		     "args.cni: [1]");
	assert_fails("{'name':'n','prevResult':'x'}", CNI_VERB_ADD, CNI_ERR_DECODE, "prevResult");
}

static void name_is_needed_by_all_but_version(void **state)
{
	static const enum cni_verb verbs[] = { CNI_VERB_ADD, CNI_VERB_DEL, CNI_VERB_CHECK,
					       CNI_VERB_GC, CNI_VERB_STATUS };

	(void)state;
	for (size_t i = 0; i < array_size(verbs); i++) {
		assert_fails("{'cniVersion':'1.1.0'}", verbs[i], CNI_ERR_CONFIG,
			     "name is required");
		assert_fails("{'cniVersion':'1.1.0','name':null}", verbs[i], CNI_ERR_CONFIG,
			     "name");
		assert_fails("{'cniVersion':'1.1.0','name':'../x'}", verbs[i], CNI_ERR_CONFIG,
			     "name: \"../x\"");
		assert_fails("{'cniVersion':'1.1.0','name':5}", verbs[i], CNI_ERR_CONFIG,
			     "name: 5");
	}
	assert_parses("{'cniVersion':'1.0.0'}", CNI_VERB_VERSION);
}

static void versions_bound_the_verbs(void **state)
{
	(void)state;
	assert_fails("{'name':'n','cniVersion':'1.2.0'}", CNI_VERB_ADD, CNI_ERR_VERSION, "'1.2.0'");
	assert_fails("{'name':'n','cniVersion':'1.0'}", CNI_VERB_DEL, CNI_ERR_VERSION, "'1.0'");
	assert_fails("{'name':'n','cniVersion':'0.3.1'}", CNI_VERB_CHECK, CNI_ERR_VERSION,
		     "CHECK needs cniVersion 0.4.0 or newer, the configuration has '0.3.1'");
	assert_fails("{'name':'n'}", CNI_VERB_CHECK, CNI_ERR_VERSION, "CHECK");
	assert_fails("{'name':'n','cniVersion':'1.0.0'}", CNI_VERB_GC, CNI_ERR_VERSION, "GC needs");
	assert_fails("{'name':'n','cniVersion':'1.0.0'}", CNI_VERB_STATUS, CNI_ERR_VERSION,
		     "STATUS needs");
	assert_parses("{'name':'n','cniVersion':'0.4.0'}", CNI_VERB_CHECK);
	assert_parses("{'name':'n','cniVersion':'1.1.0'}", CNI_VERB_GC);
	assert_parses("{'name':'n','cniVersion':'1.1.0'}", CNI_VERB_STATUS);
	assert_parses("{'name':'n','cniVersion':'0.2.0'}", CNI_VERB_DEL);
}

/* Whatever asks gets an answer: that is how a runtime finds out what is spoken. */
static void version_answers_strangers(void **state)
{
	static const char *const texts[] = { "", " \n", "{}", "{'cniVersion':'9.9.9'}" };

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		auto_cni_conf struct cni_conf conf = { 0 };
		struct err e;

		assert_int_equal(parse(texts[i], CNI_VERB_VERSION, &conf, &e), 0);
		assert_int_equal(conf.version, CNI_VERSION_NEWEST);
		assert_string_equal(conf.name, "");
	}
	assert_fails("{'cniVersion':", CNI_VERB_VERSION, CNI_ERR_DECODE, "line 1");
}

static void broken_json_has_a_place(void **state)
{
	(void)state;
	assert_fails("", CNI_VERB_ADD, CNI_ERR_DECODE, "empty");
	assert_fails("{'name':'n',\n 'x' 1}", CNI_VERB_ADD, CNI_ERR_DECODE, "line 2, column 6");
	assert_fails("{'name':'n'} x", CNI_VERB_ADD, CNI_ERR_DECODE, "end of file expected");
	assert_fails("['name']", CNI_VERB_ADD, CNI_ERR_DECODE, "not a JSON object");
	assert_fails("'name'", CNI_VERB_ADD, CNI_ERR_DECODE, "not JSON");
	assert_fails("{'name':'n\\u0000x'}", CNI_VERB_ADD, CNI_ERR_DECODE, "\\u0000");
	assert_fails("{'name':'\xff'}", CNI_VERB_ADD, CNI_ERR_DECODE, "byte 0xff");
	assert_fails("{'name':'n','x':99999999999999999999}", CNI_VERB_ADD, CNI_ERR_DECODE,
		     "too big");
	assert_fails("{'name':'n','x':1e999}", CNI_VERB_ADD, CNI_ERR_DECODE, "overflow");
}

static void nul_bytes_do_not_end_the_text(void **state)
{
	static const char text[] = "{\"name\":\"n\"}\0{";
	struct cni_conf conf;
	struct err e;

	(void)state;
	assert_true(cni_conf_parse(text, sizeof(text) - 1, CNI_VERB_ADD, &conf, &e) < 0);
	assert_int_equal(e.code, CNI_ERR_DECODE);
	assert_true(cni_conf_parse("\0", 1, CNI_VERB_VERSION, &conf, &e) < 0);
	assert_int_equal(e.code, CNI_ERR_DECODE);
}

static void nesting_is_bounded(void **state)
{
	size_t depth = 1000000;
	auto_free char *text = malloc(depth);
	struct cni_conf conf;
	struct err e;

	(void)state;
	assert_non_null(text);
	memset(text, '[', depth);
	assert_true(cni_conf_parse(text, depth, CNI_VERB_ADD, &conf, &e) < 0);
	assert_err(&e, CNI_ERR_DECODE, "maximum parsing depth");
}

static void of_duplicate_keys_the_last_counts(void **state)
{
	auto_cni_conf struct cni_conf conf = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(parse("{'name':'a','name':'b'}", CNI_VERB_ADD, &conf, &e), 0);
	assert_string_equal(conf.name, "b");
}

/* A descriptor that gives @size bytes: {"name":"n"} and white space. */
static int conf_of_size(size_t size)
{
	int fd;

	unit_write("conf", "{\"name\":\"n\"}", 0600);
	fd = openat(unit_dir_fd, "conf", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	for (size_t at = 12; at < size;) {
		static char blank[65536];
		size_t n = size - at < sizeof(blank) ? size - at : sizeof(blank);

		memset(blank, ' ', sizeof(blank));
		assert_int_equal(pwrite(fd, blank, n, (off_t)at), n);
		at += n;
	}
	return fd;
}

static void reading_is_bounded(void **state)
{
	static const size_t limit = 4 << 20;
	auto_cni_conf struct cni_conf conf = { 0 };
	struct err e;
	int fd;

	(void)state;
	fd = conf_of_size(limit + 1);
	assert_int_equal(cni_conf_read(fd, CNI_VERB_ADD, &conf, &e), -EFBIG);
	assert_err(&e, CNI_ERR_DECODE, "4194304 bytes");
	close(fd);
	fd = conf_of_size(limit);
	assert_int_equal(cni_conf_read(fd, CNI_VERB_ADD, &conf, &e), 0);
	assert_string_equal(conf.name, "n");
	close(fd);
}

static void reading_that_fails_is_code_5(void **state)
{
	struct cni_conf conf;
	struct err e;

	(void)state;
	assert_int_equal(cni_conf_read(unit_dir_fd, CNI_VERB_ADD, &conf, &e), -EISDIR);
	assert_err(&e, CNI_ERR_IO, "read the configuration");
}

static json_t *object(const char *text)
{
	auto_free char *json = json_text(text);
	json_t *obj = json_loads(json, 0, NULL);

	assert_non_null(obj);
	return obj;
}

static void typed_access(void **state)
{
	json_auto_t *obj = object("{'s':'x','b':true,'n':4094,'o':{},'a':[],'null':null}");
	const char *s = "";
	bool b = false, set = false;
	uint32_t n = 0;
	json_t *o = NULL, *a = NULL;
	struct err e;

	(void)state;
	assert_int_equal(cni_json_str(obj, "", "s", &s, &e), 0);
	assert_string_equal(s, "x");
	assert_int_equal(cni_json_bool(obj, "", "b", &b, &e), 0);
	assert_true(b);
	assert_int_equal(cni_json_u32(obj, "", "n", 1, 4094, &n, &set, &e), 0);
	assert_int_equal(n, 4094);
	assert_true(set);
	assert_int_equal(cni_json_object(obj, "", "o", &o, &e), 0);
	assert_true(json_is_object(o));
	assert_int_equal(cni_json_array(obj, "", "a", &a, &e), 0);
	assert_true(json_is_array(a));
}

static void access_to_what_is_absent(void **state)
{
	json_auto_t *obj = object("{'k':null}");
	json_t *const objs[] = { obj, NULL };
	static const char *const keys[] = { "k", "none" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		json_t *from = objs[i / 2], *o = obj;
		const char *key = keys[i % 2], *s = "was";
		bool b = true, set = false;
		uint32_t n = 42;
		struct err e;

		assert_int_equal(cni_json_str(from, "", key, &s, &e), 0);
		assert_int_equal(cni_json_bool(from, "", key, &b, &e), 0);
		assert_int_equal(cni_json_u32(from, "", key, 0, 1, &n, &set, &e), 0);
		assert_int_equal(cni_json_object(from, "", key, &o, &e), 0);
		assert_int_equal(cni_json_array(from, "", key, &o, &e), 0);
		assert_string_equal(s, "was");
		assert_true(b);
		assert_int_equal(n, 42);
		assert_false(set);
		assert_ptr_equal(o, obj);
	}
}

static void numbers_have_bounds(void **state)
{
	static const char *const bad[] = { "4095", "0",	   "-1",  "4294967297",
					   "1.0",  "true", "'7'", "[]" };

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		char text[64];
		json_auto_t *obj = NULL;
		uint32_t n = 42;
		bool set = false;
		struct err e;

		snprintf(text, sizeof(text), "{'vlan':%s}", bad[i]);
		obj = object(text);
		assert_true(cni_json_u32(obj, "x.", "vlan", 1, 4094, &n, &set, &e) < 0);
		assert_err(&e, CNI_ERR_CONFIG, "x.vlan: ", *bad[i] == '\'' ? "\"7\"" : bad[i],
			   "from 1 to 4094");
		assert_int_equal(n, 42);
		assert_false(set);
	}
}

static void access_to_another_type_names_key_and_value(void **state)
{
	json_auto_t *obj = object("{'k':[1,'a']}"), *num = object("{'k':5}");
	const char *s = "was";
	bool b = true;
	json_t *o = NULL;
	struct err e;

	(void)state;
	assert_true(cni_json_str(obj, "ipam.", "k", &s, &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "ipam.k: [1,\"a\"] is not a string");
	assert_true(cni_json_bool(obj, "", "k", &b, &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "k: [1,\"a\"] is not true or false");
	assert_true(cni_json_object(obj, "", "k", &o, &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "k: [1,\"a\"] is not an object");
	assert_true(cni_json_array(num, "", "k", &o, &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "k: 5 is not an array");
	assert_string_equal(s, "was");
	assert_true(b);
	assert_null(o);
}

static void a_long_value_is_cut_in_the_message(void **state)
{
	json_auto_t *obj = json_object();
	char value[2000];
	uint32_t n;
	struct err e;

	(void)state;
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	json_object_set_new(obj, "k", json_string(value));
	assert_true(cni_json_u32(obj, "", "k", 0, 9, &n, NULL, &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "k: \"xxx", "xxx... is not a whole number");
}

static void assert_attachments(const char *text, bool given, size_t count)
{
	auto_cni_conf struct cni_conf conf = { 0 };
	auto_free struct cni_attachment *list = NULL;
	bool is_given = !given;
	size_t n = 42;
	struct err e;

	assert_int_equal(parse(text, CNI_VERB_GC, &conf, &e), 0);
	assert_int_equal(cni_conf_valid_attachments(&conf, &list, &n, &is_given, &e), 0);
	assert_int_equal(is_given, given);
	assert_int_equal(n, count);
	assert_int_equal(cni_attachment_is_valid(list, n, "c1", "eth0"), count > 0);
	assert_false(cni_attachment_is_valid(list, n, "c1", "eth1"));
	assert_false(cni_attachment_is_valid(list, n, "c2", "eth0"));
}

#define GC_CONF "'cniVersion':'1.1.0','name':'n'"
#define C1	"{'containerID':'c1','ifname':'eth0'}"

static void attachments_in_each_form_they_come_in(void **state)
{
	(void)state;
	assert_attachments("{" GC_CONF "}", false, 0);
	assert_attachments("{" GC_CONF ",'cni.dev/valid-attachments':null}", false, 0);
	assert_attachments("{" GC_CONF ",'cni.dev/attachments':null}", false, 0);
	assert_attachments("{" GC_CONF ",'cni.dev/valid-attachments':[]}", true, 0);
	assert_attachments("{" GC_CONF ",'cni.dev/attachments':[]}", true, 0);
	assert_attachments("{" GC_CONF ",'cni.dev/valid-attachments':[" C1 "]}", true, 1);
	assert_attachments("{" GC_CONF ",'cni.dev/attachments':[" C1 "," C1 "]}", true, 2);
	assert_attachments("{" GC_CONF ",'cni.dev/valid-attachments':null,"
			   "'cni.dev/attachments':[" C1 "]}",
			   true, 1);
	assert_attachments("{" GC_CONF ",'cni.dev/valid-attachments':[" C1 "],"
			   "'cni.dev/attachments':[]}",
			   true, 1);
}

/* Taken as absent they would be released. */
static void an_attachment_that_cannot_be_read_is_an_error(void **state)
{
	static const struct {
		const char *value, *says;
	} cases[] = {
		{ "{}", "cni.dev/valid-attachments: {} is not an array" },
		{ "['c1']", "cni.dev/valid-attachments[0]" },
		{ "[{'ifname':'eth0'}]", "cni.dev/valid-attachments[0].containerID is required" },
		{ "[" C1 ",{'containerID':'c2'}]",
		  "cni.dev/valid-attachments[1].ifname is required" },
		{ "[{'containerID':7,'ifname':'x'}]", "[0].containerID: 7 is not a string" },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		auto_cni_conf struct cni_conf conf = { 0 };
		struct cni_attachment *list = NULL;
		char text[256];
		size_t n = 42;
		bool given;
		struct err e;

		snprintf(text, sizeof(text), "{" GC_CONF ",'cni.dev/valid-attachments':%s}",
			 cases[i].value);
		assert_int_equal(parse(text, CNI_VERB_GC, &conf, &e), 0);
		assert_true(cni_conf_valid_attachments(&conf, &list, &n, &given, &e) < 0);
		assert_err(&e, CNI_ERR_CONFIG, cases[i].says);
		assert_null(list);
		assert_int_equal(n, 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(envelope_is_taken_apart),
		cmocka_unit_test(absent_and_null_are_none),
		cmocka_unit_test(ipam_of_nothing_is_none),
		cmocka_unit_test(wrong_types_are_told),
		cmocka_unit_test(name_is_needed_by_all_but_version),
		cmocka_unit_test(versions_bound_the_verbs),
		cmocka_unit_test(version_answers_strangers),
		cmocka_unit_test(broken_json_has_a_place),
		cmocka_unit_test(nul_bytes_do_not_end_the_text),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(of_duplicate_keys_the_last_counts),
		unit_test_in_dir(reading_is_bounded),
		unit_test_in_dir(reading_that_fails_is_code_5),
		cmocka_unit_test(typed_access),
		cmocka_unit_test(access_to_what_is_absent),
		cmocka_unit_test(numbers_have_bounds),
		cmocka_unit_test(access_to_another_type_names_key_and_value),
		cmocka_unit_test(a_long_value_is_cut_in_the_message),
		cmocka_unit_test(attachments_in_each_form_they_come_in),
		cmocka_unit_test(an_attachment_that_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
