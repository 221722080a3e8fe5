import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { HostileClients } from './hostile-clients.ts'
import { expectHealthy, measureUnder } from './service-under-attack.ts'

const OPEN_FILES = 1_024
const DESTINATIONS = 1_500
const CLIENTS = 1_500
const UNFINISHED_BODY = 'POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'

/** Reserve for the database, which may open files at any time. */
const MIN_FREE = 24

test(`with a limit of ${OPEN_FILES} open files, ${DESTINATIONS} receivers that keep connections open and ${CLIENTS} clients that never finish requests cause no failures`, async () => {
  await using receivers = await ReceiversProcess.open()
  await using service = new MeasuredService()
  await service.start({}, { openFiles: OPEN_FILES })
  const numbers = Array.from({ length: DESTINATIONS }, (_, index) => index)
  await service.addSource(...numbers.map((index) => receivers.urlOf(`answering/${index}`)))
  await service.send(2)
  const delivered = (): Promise<number> => service.gauge('hookline_deliveries_ended_total')
  await expect.poll(delivered).toBe(2 * DESTINATIONS)
  // No attempt has failed for lack of a file descriptor.
  expect(await service.gauge('hookline_attempts_total')).toBe(2 * DESTINATIONS)
  await service.addSource(receivers.urlOf('healthy'))
  for (const part of ['', 'GET /livez HTTP/1.1\r\n', UNFINISHED_BODY]) {
    const attack = () => HostileClients.open(service.port, CLIENTS, part)
    const measured = await measureUnder(attack, { service, seconds: 3 })
    const openFiles = readdirSync(`/proc/${service.pid}/fd`).length
    console.log(`${JSON.stringify(part)}, ${openFiles} files: ${JSON.stringify(measured)}`)
    expectHealthy(measured)
    expect(openFiles).toBeLessThan(OPEN_FILES - MIN_FREE)
    expect(measured.openConnections).toBeGreaterThan(OPEN_FILES / 4)
  }
  // All calls accepted during the attack are delivered.
  const accepted = await service.gauge('hookline_decisions_total')
  await expect.poll(delivered).toBe(accepted)
})
