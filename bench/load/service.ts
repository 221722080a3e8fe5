import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManagementApi } from '../../test/harness/management-api.ts'
import { Child } from './child.ts'

/** A source as the load knows it. */
export interface BenchSource {
  readonly id: string
  readonly writeKey: string
}

export interface Usage {
  /** Of all its threads, since its start. */
  readonly cpuMicros: number
  readonly residentBytes: number
}

/** A folder of its own for data: beside the system's temporary ones, or where HOOKLINE_TEST_DATA_DIR says. */
export function temporaryDataDir(): Disposable & { readonly path: string } {
  const parent = process.env['HOOKLINE_TEST_DATA_DIR'] ?? tmpdir()
  const path = mkdtempSync(join(parent, 'hookline-bench-'))
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  // It may be large: it goes when the benchmark is cut off, too.
  process.on('exit', remove)
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove)
      remove()
    },
  }
}

/** Hookline with its production settings in a process of its own. */
export class Service implements AsyncDisposable {
  readonly #child: Child
  readonly #url: string
  readonly #adminToken: string
  readonly #own: Disposable | undefined

  private constructor(child: Child, ready: { url: string; adminToken: string }, own?: Disposable) {
    this.#child = child
    this.#url = ready.url
    this.#adminToken = ready.adminToken
    this.#own = own
  }

  /** On a data folder that there is, or on one that goes with it. Resolves when it accepts calls. */
  static async start(dataDir?: string): Promise<Service> {
    const own = dataDir === undefined ? temporaryDataDir() : undefined
    const [child, ready] = await Child.start('hookline-server.ts', [dataDir ?? own!.path])
    return new Service(child, ready as { url: string; adminToken: string }, own)
  }

  get port(): number {
    return Number(new URL(this.#url).port)
  }

  /** A source with a destination for each URL. */
  async addSource(...webhookUrls: string[]): Promise<BenchSource> {
    const api = new ManagementApi(this.#url, this.#adminToken)
    const made = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
      name: 'bench',
    })
    for (const url of webhookUrls) {
      await api.call('POST', 'destinations', {
        sourceId: made.id,
        type: 'Webhooks',
        enabled: true,
        settings: { sharedSecret: SECRET, webhooks: [{ url }] },
      })
    }
    return { id: made.id, writeKey: made.writeKeys[0].key }
  }

  /** One call. */
  async send({ writeKey }: BenchSource, call: object): Promise<void> {
    const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}` }
    const body = JSON.stringify(call)
    const answer = await fetch(`${this.#url}/v1/track`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`Answered ${answer.status}.`)
  }

  async usage(): Promise<Usage> {
    return (await this.#child.ask({})) as Usage
  }

  /** Stops gracefully. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]()
    this.#own?.[Symbol.dispose]()
  }
}

/** What deliveries are signed with, on every side. */
export const SECRET = 'a shared secret for the bench'
