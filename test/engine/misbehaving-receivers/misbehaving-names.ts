import type { DnsResponse, DnsQuery } from '@hookline/testing/network/dns-server'

const ALLOWED = '127.0.0.1'
const PRIVATE = '10.1.2.3'

/** The responses of the tests' name server. The first label of a name determines the response. */
export class MisbehavingNames {
  readonly #seen = new Set<string>()

  answer({ name, type }: DnsQuery): DnsResponse {
    const [label = ''] = name.split('.')
    const [kind = ''] = label.split('-')
    switch (kind) {
      case 'silent':
        return 'silence'
      case 'private':
        return { addresses: [PRIVATE, '169.254.169.254'] }
      case 'mixed':
        return { addresses: [ALLOWED, PRIVATE] }
      case 'rebinding':
        return { addresses: [this.#isFirst(`${label} ${type}`) ? ALLOWED : PRIVATE], ttl: 0 }
      default:
        return 'no such name'
    }
  }

  #isFirst(question: string): boolean {
    const isFirst = !this.#seen.has(question)
    this.#seen.add(question)
    return isFirst
  }
}
