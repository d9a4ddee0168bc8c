import { BlockList, isIP } from 'node:net'

export interface AddressGuard {
  /** `address`: IPv4 or IPv6 in any notation of node:net. False for anything else, such as an address with a zone. */
  allows(address: string): boolean
}

export interface AddressGuardOptions {
  /** Allows loopback, and nothing else that is not public. */
  readonly devMode: boolean
  /** Networks that are allowed although they are not public, such as `127.0.0.1/32`. For tests; no setting leads here. */
  readonly allowCidrs?: readonly string[]
}

/** IANA IPv4 Special-Purpose Address Registry, the old 6to4 relays, multicast (224/4) and the reserved rest (240/4). */
const NOT_PUBLIC_IPV4 = [
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
/** All that IANA gave out for global unicast: mapped, NAT64, unique local, link-local and multicast addresses lie outside. */
const PUBLIC_IPV6 = ['2000::/3']
/** Protocol assignments (Teredo, ORCHID), documentation and 6to4, all of them inside 2000::/3. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']
const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** Allows public addresses: default deny, in that an IPv6 address must be known to be public. */
export function createAddressGuard({ devMode, allowCidrs = [] }: AddressGuardOptions): AddressGuard {
  const allowed = networks([...allowCidrs, ...(devMode ? LOOPBACK : [])])
  const notPublic = networks([...NOT_PUBLIC_IPV4, ...NOT_PUBLIC_IPV6])
  const public6 = networks(PUBLIC_IPV6)
  return {
    allows: (address) => {
      const version = address.includes('%') ? 0 : isIP(address)
      if (version === 0) return false
      const family = version === 4 ? 'ipv4' : 'ipv6'
      if (allowed.check(address, family)) return true
      return !notPublic.check(address, family) && (family === 'ipv4' || public6.check(address, family))
    },
  }
}

/** `address`: a literal address. */
export function isLoopback(address: string): boolean {
  return networks(LOOPBACK).check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

function networks(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', prefix] = cidr.split('/')
    list.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
