import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { HostileClients } from './hostile-clients.ts'
import {
  expectAsFast,
  expectHealthy,
  type AttackMeasurement,
  measureUnder,
  measureWhile,
} from './service-under-attack.ts'

const CONNECTIONS = 100
const SECONDS = 3

const zeros = Buffer.alloc(256 * 2 ** 20)
/** JSON of nearly the maximum size, with as many objects as possible. */
const objects = `{"batch":[${'{},'.repeat(170_000)}{}]}`
const br = (bytes: Buffer | string): Buffer =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
/** A prefix of the compressed zeros that fits into a request. It still decompresses beyond the limit. */
const cut = (bytes: Buffer): Buffer => bytes.subarray(0, 100_000)

let receiver: Receiver
let service: MeasuredService
let undisturbed: AttackMeasurement

beforeAll(async () => {
  receiver = await openReceiver()
  service = new MeasuredService()
  await service.start()
  await service.addSource(receiver.url)
  await service.load(1)
  undisturbed = (await measureWhile(service, () => sleep(SECONDS * 1000))).measured
  console.log(`undisturbed: ${JSON.stringify(undisturbed)}`)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

test.each([
  { encoding: 'br', what: '256 MiB of zeros', body: br(zeros) },
  { encoding: 'gzip', what: 'a hundred MiB of zeros', body: cut(gzipSync(zeros)) },
  { encoding: 'deflate', what: 'a hundred MiB of zeros', body: cut(deflateSync(zeros)) },
  { encoding: 'br', what: '170,000 empty objects', body: br(objects) },
  { encoding: 'gzip', what: '170,000 empty objects', body: gzipSync(objects) },
])(
  `${CONNECTIONS} connections without a key that repeatedly send $what, compressed with $encoding, do not disturb other clients`,
  async ({ encoding, what, body }) => {
    const head = `POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`
    const bytes = Buffer.concat([Buffer.from(head), body])
    const attack = () => HostileClients.open(service.port, CONNECTIONS, bytes, { again: true })
    const refused = await service.gauge('hookline_ingest_events_total')
    const measured = await measureUnder(attack, { service, seconds: SECONDS })
    const attacks = (await service.gauge('hookline_ingest_events_total')) - refused
    console.log(`${what} by ${encoding}, ${attacks} bodies: ${JSON.stringify(measured)}`)
    expect(attacks).toBeGreaterThan(CONNECTIONS)
    expectHealthy(measured)
    expectAsFast(measured, undisturbed)
  },
)
