import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'

interface DnsQuestion {
  readonly name: string
  readonly type: 'A' | 'AAAA' | 'other'
  /** The number of earlier queries for this name. */
  readonly before: number
}

/**
 * Addresses of the requested family are sent. `silence` never responds. The others are responses
 * without addresses.
 */
export type DnsAnswer =
  | readonly string[]
  | { readonly alias: string; readonly addresses: readonly string[] }
  | 'silence'
  | 'no_such_name'
  | 'server_failure'

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }
const RESPONSE_CODES = { no_such_name: 3, server_failure: 2 } as const
const HEADER = 12

/** A real name server on loopback over UDP. Its responses have TTL 0. */
export async function startDnsServer(answer: (question: DnsQuestion) => DnsAnswer) {
  const questions: DnsQuestion[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    const before = questions.filter((each) => each.name === name && each.type === type).length
    const question = { name, type, before }
    questions.push(question)
    const given = answer(question)
    if (given !== 'silence')
      socket.send(response(query.subarray(0, end), type, given), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    /** `address:port`, for a resolver. */
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
export type DnsServer = Awaited<ReturnType<typeof startDnsServer>>

function readQuestion(query: Buffer): { name: string; type: DnsQuestion['type']; end: number } {
  const labels: string[] = []
  let at = HEADER
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: TYPES[query.readUInt16BE(at + 1)] ?? 'other',
    end: at + 5,
  }
}

function response(question: Buffer, type: DnsQuestion['type'], given: Exclude<DnsAnswer, 'silence'>): Buffer {
  const code = typeof given === 'string' ? RESPONSE_CODES[given] : 0
  const addresses = typeof given === 'string' ? [] : 'alias' in given ? given.addresses : given
  const asked = addresses.filter((each) => isIP(each) === (type === 'A' ? 4 : 6) && type !== 'other')
  const alias = typeof given === 'object' && 'alias' in given ? wireName(given.alias) : null
  // The name of the question, by a pointer to it.
  const owner = Buffer.from([0xc0, HEADER])
  const records = [
    ...(alias === null ? [] : [record(owner, 5, alias)]),
    ...asked.map((each) => record(alias ?? owner, type === 'A' ? 1 : 28, addressBytes(each))),
  ]
  const message = Buffer.concat([question, ...records])
  message.writeUInt16BE(0x8180 | code, 2)
  message.writeUInt16BE(records.length, 6)
  // Additional records of the query (EDNS) are not repeated.
  message.writeUInt16BE(0, 10)
  return message
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, head, data])
}

function wireName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  // The URL parser writes IPv6 addresses in one form, with hexadecimal groups only.
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
