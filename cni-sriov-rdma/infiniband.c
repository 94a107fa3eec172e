/* SPDX-License-Identifier: Apache-2.0 */
#include "infiniband.h"

#include "base/cleanup.h"

#include <string.h>

static int check_ethernet_keys(const struct attach_conf *conf, const struct vf *vf, struct err *e)
{
	static const struct {
		unsigned int field;
		const char *key, *instead;
	} keys[] = {
		{ VF_MAC, "mac", "the address follows from the VF's GUID (infinibandGUID)" },
		{ VF_PF_VLAN, "vlan", "it has partitions, which the subnet manager sets up" },
		{ VF_PF_SPOOFCHK, "spoofchk", "GUIDs cannot be changed by the VF" },
		{ VF_PF_TRUST, "trust", "GUIDs cannot be changed by the VF" },
		{ VF_PF_RATE, "min_tx_rate, max_tx_rate", "the subnet manager limits rates" },
	};

	for (size_t i = 0; i < array_size(keys); i++)
		if (conf->want.fields & keys[i].field)
			return err_set(
				e, CNI_ERR_CONFIG, 0,
				"%s: VF %s is an InfiniBand VF (PF %s), where this cannot be set: %s",
				keys[i].key, vf->bdf, vf->pf_name, keys[i].instead);
	return 0;
}

int infiniband_check(const struct attach_conf *conf, const struct vf *vf, struct err *e)
{
	if (vf->infiniband)
		return check_ethernet_keys(conf, vf, e);
	if (!conf->guid)
		return 0;
	return err_set(e, CNI_ERR_CONFIG, 0,
		       "%s: VF %s is not an InfiniBand VF: its PF %s is Ethernet", conf->guid_key,
		       vf->bdf, vf->pf_name);
}

/* The last 8 bytes of an IPoIB address (RFC 4391, 9.1.1). */
static void set_address_guid(struct hwaddr *mac, uint64_t guid)
{
	for (unsigned int i = 1; i <= sizeof(guid); i++, guid >>= 8)
		mac->bytes[mac->len - i] = (uint8_t)guid;
}

void infiniband_want(const struct attach_conf *conf, const struct vf *vf, struct vf_state *before,
		     struct vf_state *want)
{
	if (!conf->guid) {
		before->fields &= ~(unsigned int)VF_PF_GUIDS;
		return;
	}
	want->pf.node_guid = want->pf.port_guid = conf->guid;
	want->fields |= VF_PF_GUIDS;
	before->fields |=
		VF_PF_GUIDS; /* of a PF that does not show them: 0, which is restored as never set */
	if (vf->userspace)
		return;
	strcpy(before->driver, vf->driver);
	strcpy(want->driver, vf->driver);
	before->fields |= VF_DRIVER;
	want->fields |= VF_DRIVER;
	if (hwaddr_is_ipoib(&before->mac)) {
		want->mac = before->mac;
		set_address_guid(&want->mac, conf->guid);
		want->fields |= VF_MAC;
	}
}
