// SPDX-License-Identifier: GPL-2.0
/*
 * manyvf - makes any SR-IOV function of PCI an Ethernet NIC's, control plane only
 *
 * It takes a PF and its VFs by driver_override.  igb has 7 VFs, and QEMU's NVMe controller 126: this is how rtnetlink
 * looks on a node with as many.  What is sent vanishes.
 */
#include <linux/etherdevice.h>
#include <linux/if_link.h>
#include <linux/module.h>
#include <linux/pci.h>

#define MAX_VFS 127

struct nic {
	struct net_device *dev;
	struct ifla_vf_info vfs[MAX_VFS]; /* a PF's */
};

static int nic_up(struct net_device *dev)
{
	netif_carrier_on(dev);
	return 0;
}
static int nic_down(struct net_device *dev)
{
	netif_carrier_off(dev);
	return 0;
}
static netdev_tx_t nic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static struct ifla_vf_info *nic_vf(struct net_device *dev, int vf)
{
	struct nic *nic = netdev_priv(dev);

	return vf >= 0 && vf < pci_num_vf(to_pci_dev(dev->dev.parent)) ? &nic->vfs[vf] : NULL;
}

static int nic_get_vf(struct net_device *dev, int vf, struct ifla_vf_info *ret)
{
	const struct ifla_vf_info *info = nic_vf(dev, vf);

	if (!info)
		return -EINVAL;
	*ret = *info;
	ret->vf = vf;
	return 0;
}
static int nic_set_vf_mac(struct net_device *dev, int vf, u8 *mac)
{
	struct ifla_vf_info *info = nic_vf(dev, vf);

	if (!info)
		return -EINVAL;
	ether_addr_copy(info->mac, mac);
	return 0;
}
static int nic_set_vf_vlan(struct net_device *dev, int vf, u16 vlan, u8 qos, __be16 proto)
{
	struct ifla_vf_info *info = nic_vf(dev, vf);

	if (!info)
		return -EINVAL;
	info->vlan = vlan;
	info->qos = qos;
	info->vlan_proto = proto;
	return 0;
}
static int nic_set_vf_rate(struct net_device *dev, int vf, int min, int max)
{
	struct ifla_vf_info *info = nic_vf(dev, vf);

	if (!info)
		return -EINVAL;
	info->min_tx_rate = min;
	info->max_tx_rate = max;
	return 0;
}
static int nic_set_vf_spoofchk(struct net_device *dev, int vf, bool on)
{
	struct ifla_vf_info *info = nic_vf(dev, vf);

	if (!info)
		return -EINVAL;
	info->spoofchk = on;
	return 0;
}
static int nic_set_vf_trust(struct net_device *dev, int vf, bool on)
{
	struct ifla_vf_info *info = nic_vf(dev, vf);

	if (!info)
		return -EINVAL;
	info->trusted = on;
	return 0;
}
static int nic_set_vf_link_state(struct net_device *dev, int vf, int state)
{
	struct ifla_vf_info *info = nic_vf(dev, vf);

	if (!info)
		return -EINVAL;
	info->linkstate = state;
	return 0;
}

static const struct net_device_ops nic_ops = {
	.ndo_open = nic_up,
	.ndo_stop = nic_down,
	.ndo_start_xmit = nic_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_get_vf_config = nic_get_vf,
	.ndo_set_vf_mac = nic_set_vf_mac,
	.ndo_set_vf_vlan = nic_set_vf_vlan,
	.ndo_set_vf_rate = nic_set_vf_rate,
	.ndo_set_vf_spoofchk = nic_set_vf_spoofchk,
	.ndo_set_vf_trust = nic_set_vf_trust,
	.ndo_set_vf_link_state = nic_set_vf_link_state,
};

static int nic_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct net_device *dev = alloc_etherdev(sizeof(struct nic));
	struct nic *nic;
	int err;

	if (!dev)
		return -ENOMEM;
	nic = netdev_priv(dev);
	for (int i = 0; i < MAX_VFS; i++) {
		nic->vfs[i].vlan_proto = htons(ETH_P_8021Q);
		nic->vfs[i].spoofchk = 1;
	}
	SET_NETDEV_DEV(dev, &pdev->dev);
	dev->netdev_ops = &nic_ops;
	dev->max_mtu = 9000;
	eth_hw_addr_random(dev);
	netif_carrier_off(dev);
	err = register_netdev(dev);
	if (err)
		free_netdev(dev);
	else
		pci_set_drvdata(pdev, dev);
	return err;
}

static void nic_remove(struct pci_dev *pdev)
{
	struct net_device *dev = pci_get_drvdata(pdev);

	pci_disable_sriov(pdev);
	unregister_netdev(dev);
	free_netdev(dev);
}

static struct pci_driver nic_driver = {
	.name = "manyvf",
	.probe = nic_probe,
	.remove = nic_remove,
	.sriov_configure = pci_sriov_configure_simple,
};
module_pci_driver(nic_driver);

MODULE_DESCRIPTION("An Ethernet NIC's control plane on any SR-IOV function");
MODULE_LICENSE("GPL");
