import { BlockList, isIP } from 'node:net'

export interface AddressGuard {
  /**
   * True for a literal IPv4 or IPv6 address that may be called. False for addresses with a zone.
   */
  allows(address: string): boolean
}

export interface AddressGuardOptions {
  /** Also allows loopback addresses, but no other private ones. */
  readonly devMode: boolean
  /** Private networks to allow. Only tests set this. */
  readonly allowCidrs?: readonly string[]
}

/** IANA IPv4 Special-Purpose Address Registry, 6to4 relays, multicast (224/4), reserved (240/4). */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/**
 * IANA's global unicast block. Mapped, NAT64, unique local and link-local addresses are not in it.
 */
const PUBLIC_IPV6 = ['2000::/3']
/** Ranges inside 2000::/3 for protocols (Teredo, ORCHID), documentation and 6to4. */
const PRIVATE_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']
const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** `address`: a literal IPv4 or IPv6 address. */
export const isLoopback = addressMatcher(LOOPBACK)

/** Allows public addresses only. An IPv6 address must be in a block that is known to be public. */
export function createAddressGuard({ devMode, allowCidrs = [] }: AddressGuardOptions) {
  const allowed = blockList([...allowCidrs, ...(devMode ? LOOPBACK : [])])
  const privateNetworks = blockList([...PRIVATE_IPV4, ...PRIVATE_IPV6])
  const publicIpv6 = blockList(PUBLIC_IPV6)
  return {
    /** `address`: a literal IPv4 or IPv6 address. Addresses with a zone are refused. */
    allows: (address: string): boolean => {
      if (isIP(address) === 0 || address.includes('%')) return false
      const family = familyOf(address)
      if (allowed.check(address, family)) return true
      if (privateNetworks.check(address, family)) return false
      return family === 'ipv4' || publicIpv6.check(address, family)
    },
  }
}

/** Returns a function that tells whether an address is in one of these addresses and networks. */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = blockList(networks)
  return (address) => list.check(address, familyOf(address))
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const each of networks) {
    const [network = '', prefix] = each.split('/')
    if (prefix === undefined) list.addAddress(network, familyOf(network))
    else list.addSubnet(network, Number(prefix), familyOf(network))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
