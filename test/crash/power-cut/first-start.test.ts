import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { freePort } from '@hookline/testing/network/free-port'
import { caseCount } from '@hookline/testing/run/case-count'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { ForgetfulDisk } from './forgetful-disk.ts'
import { SEED } from '@hookline/testing/run/seed'

const FIRST_STARTS = Math.ceil(caseCount('HOOKLINE_TEST_POWER_CUTS', 20) / 5)
/** Approximately the number of writes during a first start. */
const MAX_WRITES = 150

/** Files that the first start creates and that cannot be recreated. */
const FILES = ['encryption-key', 'admin-token']

async function startOn(disk: ForgetfulDisk): Promise<ServiceProcess> {
  const settings = { ...disk.settings, HOOKLINE_LOG_LEVEL: 'error' }
  return new ServiceProcess({ port: await freePort(), dataDir: disk.path, settings })
}

const secretsIn = (disk: ForgetfulDisk): string[] =>
  FILES.map((name) => readFileSync(join(disk.path, name), 'utf8'))

async function expectReady(service: ServiceProcess): Promise<void> {
  expect(await service.ready(), `seed ${SEED}: ${service.stderr}`).toBe(true)
}

test('a power cut right after the first start loses neither the admin token nor the encryption key', async ({
  skip,
}) => {
  using disk = ForgetfulDisk.orSkip(skip)
  const first = await startOn(disk)
  await using _ = { [Symbol.asyncDispose]: () => first.kill() }
  await expectReady(first)
  const secrets = secretsIn(disk)
  await first.kill()
  disk.cutPower(0, () => 1)

  const second = await startOn(disk)
  await using __ = { [Symbol.asyncDispose]: () => second.kill() }
  await expectReady(second)
  expect(secretsIn(disk)).toEqual(secrets)
  const api = new ManagementApi(second.url, secrets[1]!.trim())
  expect(await api.listAll('destinations')).toEqual([])
})

test(`the service starts after a power cut during the first start, ${FIRST_STARTS} times`, async ({
  skip,
}) => {
  const random = seededRandom(SEED)
  let interrupted = 0
  for (let run = 0; run < FIRST_STARTS; run++) {
    using disk = ForgetfulDisk.orSkip(skip)
    disk.killAfter(1 + Math.floor(random() * MAX_WRITES))
    const first = await startOn(disk)
    if (!(await first.ready())) interrupted += 1
    await first.kill()
    disk.cutPower(random(), random)

    const second = await startOn(disk)
    await using _ = { [Symbol.asyncDispose]: () => second.kill() }
    await expectReady(second)
  }
  console.log(
    `seed ${SEED}: ${FIRST_STARTS} power cuts, ${interrupted} before the service was ready`,
  )
})
