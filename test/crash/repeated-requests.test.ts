import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { freePort } from '@hookline/testing/network/free-port'
import { caseCount } from '@hookline/testing/run/case-count'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { SEED } from '@hookline/testing/run/seed'

const ADMIN_TOKEN = 'tok_crash_test'
const KILLS = caseCount('HOOKLINE_TEST_KILLS', 20)
const MAX_UPTIME_MS = 200
const CLIENTS = 3

const settings = {
  HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
  HOOKLINE_ADMIN_RATE_LIMIT: '0',
  HOOKLINE_LOG_LEVEL: 'error',
}

const RECORDS = {
  sources: { name: 'web' },
  tokens: { name: 'ci', role: 'viewer' },
  deletions: { userIds: ['louis'] },
}
type Path = keyof typeof RECORDS
const PATHS = Object.keys(RECORDS) as readonly Path[]

/** Creates records, each with a different key, and repeats each request until it gets a response. */
class Client {
  readonly created = { sources: [], tokens: [], deletions: [] } as Record<Path, string[]>
  /** The number of repeated requests. */
  repeated = 0
  readonly #url: string
  readonly #started: () => Promise<unknown>
  #isStopped = false

  /** @param started resolves when the latest service process is ready */
  constructor(url: string, started: () => Promise<unknown>) {
    this.#url = url
    this.#started = started
  }

  async run(): Promise<void> {
    while (!this.#isStopped)
      for (const path of PATHS) this.created[path].push(await this.#make(path, randomUUID()))
  }

  stop(): void {
    this.#isStopped = true
  }

  async #make(path: Path, key: string): Promise<string> {
    for (let tries = 1; ; tries++) {
      const response = await fetch(`${this.#url}/api/v1/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(RECORDS[path]),
      }).catch(() => undefined)
      const created = (await response?.json().catch(() => undefined)) as { id: string } | undefined
      if (response?.ok && created !== undefined) {
        if (tries > 1) this.repeated++
        return created.id
      }
      await this.#started()
    }
  }
}

test('requests repeated with the same Idempotency-Key after kills create one record each', async () => {
  const random = seededRandom(SEED)
  using folder = new TemporaryFolder()
  const options = { port: await freePort(), dataDir: folder.path, settings }
  const start = async (): Promise<ServiceProcess> => {
    const started = new ServiceProcess(options)
    expect(await started.ready(), started.stderr).toBe(true)
    return started
  }
  let starting = start()
  const { url } = await starting
  const clients = Array.from({ length: CLIENTS }, () => new Client(url, () => starting))
  const clientsEnd = Promise.all(clients.map((client) => client.run()))
  const repeated = (): number => clients.reduce((sum, client) => sum + client.repeated, 0)
  // Continues until enough kills have interrupted a request.
  for (let run = 0; run < KILLS || (repeated() < KILLS && run < 4 * KILLS); run++) {
    const running = await starting
    await sleep(random() * MAX_UPTIME_MS)
    await running.kill()
    starting = start()
  }
  const service = await starting
  for (const client of clients) client.stop()
  await clientsEnd
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  for (const path of PATHS) {
    const stored = (await api.listAll<{ id: string }>(path)).map(({ id }) => id)
    const created = clients.flatMap((client) => client.created[path])
    expect(stored.toSorted(), `seed ${SEED}: ${path}`).toEqual(created.toSorted())
  }
  console.log(`seed ${SEED}: ${repeated()} requests repeated`)
  expect(repeated()).toBeGreaterThanOrEqual(KILLS)
  expect(await service.stop(), service.stderr).toBe(0)
})
