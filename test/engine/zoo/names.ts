import type { DnsAnswer, DnsQuestion } from '../../../packages/server/test/harness/dns-server.ts'

const GOOD = '127.0.0.1'
const PRIVATE = '10.1.2.3'

/** What the zoo's name server says of a name, by its first label. */
export class Names {
  readonly #asked = new Set<string>()

  answer({ name, type }: DnsQuestion): DnsAnswer {
    const [label = ''] = name.split('.')
    const [kind = ''] = label.split('-')
    switch (kind) {
      case 'silent':
        return 'silence'
      case 'private':
        return { addresses: [PRIVATE, '169.254.169.254'] }
      case 'mixed':
        return { addresses: [GOOD, PRIVATE] }
      case 'rebinding':
        return { addresses: [this.#isFirst(`${label} ${type}`) ? GOOD : PRIVATE], ttl: 0 }
      default:
        return 'no such name'
    }
  }

  #isFirst(question: string): boolean {
    const isFirst = !this.#asked.has(question)
    this.#asked.add(question)
    return isFirst
  }
}
