import type { LookupAddress } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Clock } from '../../util/time/clock.ts'

/** How long the file is not read again. */
const FRESH_MS = 5000

/** The path of the system's hosts file. */
export const SYSTEM_HOSTS_FILE =
  process.platform === 'win32'
    ? `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts'

/** The names of a hosts file, which is read again every 5 s. A file that cannot be read has no names. */
export class HostsFile {
  readonly #path: string
  readonly #clock: Clock
  #names: Promise<ReadonlyMap<string, readonly LookupAddress[]>> = Promise.resolve(new Map())
  #freshUntil = -Infinity

  constructor(options: { readonly path: string; readonly clock: Clock }) {
    this.#path = options.path
    this.#clock = options.clock
  }

  /** The addresses of a name, which must be in lower case; none when the name is not in the file. */
  async find(name: string): Promise<readonly LookupAddress[]> {
    if (this.#clock.now() >= this.#freshUntil) {
      this.#freshUntil = this.#clock.now() + FRESH_MS
      this.#names = readFile(this.#path, 'utf8').then(parseHosts, () => new Map())
    }
    return (await this.#names).get(name) ?? []
  }
}

function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), { address, family }])
    }
  }
  return names
}
