/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "base/cleanup.h"
#include "conf_ib.h"
#include "conf_pod.h"
#include "record.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <string.h>
#include <strings.h>

#define DATA_DIR "/var/lib/cni/cni-sriov-rdma"

/* IEEE 802.1Q: 4095 is reserved, and 0 means no VLAN. */
#define VLAN_MAX 4094
#define QOS_MAX	 7

/* RFC 791, 3.2: the smallest MTU that IPv4 lives with; the upper bound is the PF's MTU, checked by ADD. */
#define MTU_MIN 68
#define MTU_MAX 65535

/* Carriers of real links take up to a few seconds; GIDs follow the addresses within milliseconds. */
#define READY_MS	  3000
#define READY_MS_AS_SRIOV 200 /* as long as sriov-cni waits for a carrier */
#define READY_MS_MAX	  60000

static int wrong(struct err *e, const char *key, const char *value, const char *allowed)
{
	return err_set(e, CNI_ERR_CONFIG, 0, "%s: \"%s\" is not %s", key, value, allowed);
}

/* A word out of a list, by its place in it; any case if @any_case. */
static int parse_word(json_t *root, const char *where, const char *key, const char *const *words,
		      const char *allowed, bool any_case, int *ret, struct err *e)
{
	const char *value = NULL;
	char full[64];
	int r = cni_json_str(root, where, key, &value, e);

	if (r || !value)
		return r;
	if (!*value) /* a rendered template's way to leave a key out */
		return 0;
	for (int i = 0; words[i]; i++)
		if (!(any_case ? strcasecmp : strcmp)(value, words[i])) {
			*ret = i;
			return 0;
		}
	snprintf(full, sizeof(full), "%s%s", where, key);
	return wrong(e, full, value, allowed);
}

static int parse_vlan(json_t *root, struct vf_state *want, struct err *e)
{
	static const char *const protos[] = { "802.1q", "802.1ad", NULL };
	uint32_t vlan = 0, qos = 0;
	bool has_vlan = false, has_qos = false;
	int proto = -1, r;

	r = cni_json_u32(root, "", "vlan", 0, VLAN_MAX, &vlan, &has_vlan, e);
	if (!r)
		r = cni_json_u32(root, "", "vlanQoS", 0, QOS_MAX, &qos, &has_qos, e);
	if (!r)
		r = parse_word(root, "", "vlanProto", protos, "802.1q or 802.1ad", true, &proto, e);
	if (r)
		return r;
	if (has_qos && !has_vlan)
		return err_set(e, CNI_ERR_CONFIG, 0, "vlanQoS: %u needs a vlan", qos);
	if (qos && !vlan)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "vlanQoS: %u needs a vlan from 1 to %d, and vlan is 0", qos,
			       VLAN_MAX);
	if (proto == 1 && !vlan)
		return err_set(e, CNI_ERR_CONFIG, 0, "vlanProto: 802.1ad needs a vlan from 1 to %d",
			       VLAN_MAX);
	if (!has_vlan)
		return 0;
	want->fields |= VF_PF_VLAN;
	want->pf.vlan = (uint16_t)vlan;
	want->pf.qos = (uint8_t)qos;
	want->pf.vlan_proto = proto == 1 ? ETH_P_8021AD : ETH_P_8021Q;
	return 0;
}

static int parse_rates(json_t *root, struct attach_conf *c, struct err *e)
{
	struct vfinfo *pf = &c->want.pf;
	int r = cni_json_u32(root, "", "min_tx_rate", 0, UINT32_MAX, &pf->min_rate,
			     &c->has_min_rate, e);

	if (!r)
		r = cni_json_u32(root, "", "max_tx_rate", 0, UINT32_MAX, &pf->max_rate,
				 &c->has_max_rate, e);
	if (r)
		return r;
	/* a maximum of 0 is no limit, so any minimum is below it */
	if (c->has_min_rate && c->has_max_rate && pf->max_rate && pf->min_rate > pf->max_rate)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "min_tx_rate: %u is above max_tx_rate, %u Mbit/s", pf->min_rate,
			       pf->max_rate);
	if (c->has_min_rate || c->has_max_rate)
		c->want.fields |= VF_PF_RATE;
	return 0;
}

static int parse_grants(json_t *root, struct vf_state *want, struct err *e)
{
	static const char *const off_on[] = { "off", "on", NULL };
	static const char *const states[] = { [IFLA_VF_LINK_STATE_AUTO] = "auto",
					      [IFLA_VF_LINK_STATE_ENABLE] = "enable",
					      [IFLA_VF_LINK_STATE_DISABLE] = "disable",
					      NULL };
	int spoofchk = -1, trust = -1, state = -1, r;

	r = parse_word(root, "", "spoofchk", off_on, "on or off", false, &spoofchk, e);
	if (!r)
		r = parse_word(root, "", "trust", off_on, "on or off", false, &trust, e);
	if (!r)
		r = parse_word(root, "", "link_state", states, "auto, enable or disable", false,
			       &state, e);
	if (r)
		return r;
	if (spoofchk >= 0)
		want->fields |= VF_PF_SPOOFCHK;
	if (trust >= 0)
		want->fields |= VF_PF_TRUST;
	if (state >= 0)
		want->fields |= VF_PF_LINK_STATE;
	want->pf.spoofchk = spoofchk == 1;
	want->pf.trust = trust == 1;
	want->pf.link_state = state < 0 ? 0 : (uint8_t)state;
	return 0;
}

static int parse_mac(const struct cni_call *call, struct vf_state *want, struct err *e)
{
	const char *mac = NULL, *key = "runtimeConfig.mac";
	char from_args[HWADDR_TEXT];
	int r = cni_json_str(call->conf.runtime, "runtimeConfig.", "mac", &mac, e);

	if (!r && !(mac && *mac)) {
		key = "args.cni.mac";
		r = cni_json_str(call->conf.args_cni, "args.cni.", "mac", &mac, e);
	}
	if (!r && !(mac && *mac) && cni_env_arg(&call->env, "MAC", from_args, sizeof(from_args))) {
		key = "CNI_ARGS MAC";
		mac = from_args;
	}
	if (!r && !(mac && *mac)) {
		key = "mac";
		r = cni_json_str(call->conf.root, "", "mac", &mac, e);
	}
	if (r || !mac || !*mac)
		return r;
	if (hwaddr_parse(mac, &want->mac) || !hwaddr_is_unicast_mac(&want->mac))
		return wrong(e, key, mac, "a unicast MAC address of 6 bytes");
	want->pf.mac = want->mac;
	want->fields |= VF_MAC | VF_PF_MAC;
	return 0;
}

static int parse_mtu(json_t *root, struct vf_state *want, struct err *e)
{
	bool set = false;
	int r = cni_json_u32(root, "", "mtu", MTU_MIN, MTU_MAX, &want->mtu, &set, e);

	if (!r && set)
		want->fields |= VF_MTU;
	return r;
}

/*
 * Who calls us by the name of a plugin that leaves RDMA alone gets the device where it can be had, and no error that he
 * did not have before. rdma-cni wants exclusive mode and a device, and so does ib-sriov-cni with rdmaIsolation.
 */
static void default_rdma(struct attach_conf *c, int mode)
{
	bool as_sriov = (c->name == NAME_SRIOV || c->name == NAME_IB_SRIOV) && !c->rdma_isolation;

	c->rdma_lenient = as_sriov && mode < 0 && !c->rdma_required;
	c->rdma_mode = mode >= 0  ? (enum rdma_netns_mode)mode
		       : as_sriov ? RDMA_KEEP
				  : RDMA_EXCLUSIVE;
	c->rdma_required |= c->rdma_isolation || c->name == NAME_RDMA;
}

static int parse_rdma(json_t *root, struct attach_conf *c, struct err *e)
{
	static const char *const modes[] = {
		[RDMA_EXCLUSIVE] = "exclusive", [RDMA_SHARED] = "shared", [RDMA_KEEP] = "keep", NULL
	};
	int mode = -1, r;
	static const char *const policies[] = {
		[FAULT_WARN] = "warn", [FAULT_FAIL] = "fail", NULL
	};
	static const char *const checks[] = {
		[RDMA_CHECK_STATE] = "state", [RDMA_CHECK_VERBS] = "verbs", NULL
	};
	json_t *rdma = NULL, *capabilities = NULL;
	int not_ready = -1, uverbs = -1, busy = FAULT_WARN, check = RDMA_CHECK_STATE;

	r = cni_json_object(root, "", "rdma", &rdma, e);
	if (!r)
		r = parse_word(rdma, "rdma.", "netnsMode", modes, "exclusive, shared or keep",
			       false, &mode, e);
	if (!r)
		r = cni_json_bool(rdma, "rdma.", "required", &c->rdma_required, e);
	if (!r && c->name == NAME_IB_SRIOV)
		r = cni_json_bool(root, "", "rdmaIsolation", &c->rdma_isolation, e);
	/* what SriovNetwork has for it; libcni leaves the key in, and sriov-cni makes nothing of it */
	if (!r && c->name == NAME_OWN)
		r = cni_json_object(root, "", "capabilities", &capabilities, e);
	if (!r)
		r = cni_json_bool(capabilities, "capabilities.", "rdma", &c->rdma_required, e);
	if (!r)
		r = parse_word(rdma, "rdma.", "onNotReady", policies, "warn or fail", false,
			       &not_ready, e);
	if (!r)
		r = parse_word(rdma, "rdma.", "onUverbsChange", policies, "warn or fail", false,
			       &uverbs, e);
	if (!r)
		r = parse_word(rdma, "rdma.", "onBusy", policies, "warn or fail", false, &busy, e);
	if (!r)
		r = parse_word(rdma, "rdma.", "check", checks, "state or verbs", false, &check, e);
	if (!r)
		r = cni_json_u32(rdma, "rdma.", "readyTimeoutMs", 0, READY_MS_MAX,
				 &c->rdma_ready_ms, NULL, e);
	if (r)
		return r;
	/* whoever requires RDMA would rather have no pod than one that talks TCP without a word */
	c->rdma_not_ready = not_ready >= 0     ? (enum fault_policy)not_ready
			    : c->rdma_required ? FAULT_FAIL
					       : FAULT_WARN;
	c->rdma_uverbs_changed = uverbs >= 0	    ? (enum fault_policy)uverbs
				 : c->rdma_required ? FAULT_FAIL
						    : FAULT_WARN;
	default_rdma(c, mode);
	c->rdma_busy = (enum fault_policy)busy;
	c->rdma_check = (enum rdma_check)check;
	return 0;
}

static int parse_device(const struct cni_call *call, struct attach_conf *c, struct err *e)
{
	int r = cni_json_str(call->conf.runtime, "runtimeConfig.", "deviceID", &c->device_id, e);

	if (!r && !*c->device_id)
		r = cni_json_str(call->conf.root, "", "deviceID", &c->device_id, e);
	if (!r && !*c->device_id && c->name != NAME_RDMA &&
	    (call->env.verb == CNI_VERB_ADD || call->env.verb == CNI_VERB_CHECK))
		return err_set(
			e, CNI_ERR_CONFIG, 0,
			"deviceID is missing: the PCI address of a VF, at the top level or in "
			"runtimeConfig (capability deviceID)");
	return r;
}

static bool is_plain_path(const char *path)
{
	const char *up = strstr(path, "/..");

	return *path == '/' && !(up && (up[3] == '/' || !up[3]));
}

/* State must stay where it is put: no relative path, and no way up. */
static int check_data_dir(const char *dir, struct err *e)
{
	if (!is_plain_path(dir))
		return wrong(e, "dataDir", dir, "an absolute path without ..");
	return 0;
}

static int parse_log(json_t *root, struct attach_conf *c, struct err *e)
{
	const char *level = NULL;
	int r = cni_json_str(root, "", "logLevel", &level, e), parsed;

	if (!r)
		r = cni_json_str(root, "", "logFile", &c->log_file, e);
	if (r)
		return r;
	if (level && *level) {
		parsed = log_level_parse(level);
		if (parsed < 0)
			return wrong(e, "logLevel", level, "panic, error, warning, info or debug");
		c->log_level = (enum log_level)parsed;
	}
	if (*c->log_file && *c->log_file != '/')
		return wrong(e, "logFile", c->log_file, "an absolute path");
	return 0;
}

/* Multus chooses the path: /var/run/k8s.cni.cncf.io/devinfo/cni/… */
static int parse_device_info(const struct cni_call *call, struct attach_conf *c, struct err *e)
{
	int r = cni_json_str(call->conf.runtime, "runtimeConfig.", "CNIDeviceInfoFile",
			     &c->device_info, e);

	if (!r && *c->device_info &&
	    (!is_plain_path(c->device_info) || strlen(c->device_info) >= PATH_MAX))
		return wrong(e, "runtimeConfig.CNIDeviceInfoFile", c->device_info,
			     "an absolute path without ..");
	return r;
}

/* What is about the interface and the PF: nothing of it is the matter of a chained rdma. */
static int parse_interface(const struct cni_call *call, struct attach_conf *c, struct err *e)
{
	json_t *root = call->conf.root;
	int r = parse_vlan(root, &c->want, e);

	r = r ?: parse_rates(root, c, e);
	r = r ?: parse_grants(root, &c->want, e);
	r = r ?: parse_mtu(root, &c->want, e);
	r = r ?: parse_mac(call, &c->want, e);
	r = r ?: parse_device_info(call, c, e);
	return r ?: pod_conf_parse(call, c, e);
}

int attach_conf_parse_store(const struct cni_call *call, struct attach_conf *ret, struct err *e)
{
	enum plugin_name name = plugin_name_of(call);
	struct attach_conf c = { .name = name,
				 .device_id = "",
				 .data_dir = DATA_DIR,
				 .records = name == NAME_RDMA ? RECORDS_RDMA : RECORDS,
				 .log_level = LOG_INFO,
				 .log_file = "",
				 .device_info = "",
				 .workload_dir = "",
				 .rdma_ready_ms = name == NAME_OWN ? READY_MS : READY_MS_AS_SRIOV };
	struct err ignored;
	int r = cni_json_str(call->conf.root, "", "dataDir", &c.data_dir, e);

	if (!r)
		r = check_data_dir(c.data_dir, e);
	if (r)
		return r;
	if (parse_log(call->conf.root, &c, &ignored))
		c.log_file = "";
	if (parse_device(call, &c, &ignored))
		c.device_id = "";
	*ret = c;
	return 0;
}

int attach_conf_parse(const struct cni_call *call, struct attach_conf *ret, struct err *e)
{
	json_t *root = call->conf.root;
	struct attach_conf c;
	int r = attach_conf_parse_store(call, &c, e);

	r = r ?: parse_log(root, &c, e);
	r = r ?: parse_device(call, &c, e);
	r = r ?: parse_rdma(root, &c, e);
	if (!r && c.name != NAME_RDMA)
		r = parse_interface(call, &c, e);
	if (!r && (c.name == NAME_OWN || c.name == NAME_IB_SRIOV))
		r = conf_ib_parse(call, &c, e);
	if (!r)
		*ret = c;
	return r;
}
