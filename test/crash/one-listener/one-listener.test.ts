import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { compile, needsCompiler } from '@hookline/testing/disks/preloaded-library'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { ServiceProcess } from '@hookline/testing/service/service-process'

const ADMIN_TOKEN = 'tok_crash_test'

test.for([
  { name: 'port sharing, three threads accept calls', library: false, threads: 3 },
  { name: 'no port sharing, one thread accepts all calls', library: true, threads: 1 },
])('on a system with $name', async ({ library, threads }, { skip }) => {
  needsCompiler(skip)
  using folder = new TemporaryFolder()
  const path = join(folder.path, 'one-listener.so')
  compile(new URL('one-listener.c', import.meta.url), path)
  const settings = {
    HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
    HOOKLINE_INGEST_THREADS: '3',
    ...(library && { LD_PRELOAD: path }),
  }
  const dataDir = join(folder.path, 'data')
  const service = new ServiceProcess({ port: await freePort(), dataDir, settings })
  expect(await service.ready(), service.stderr).toBe(true)
  expect(threadsOf(service.pid).filter((name) => name.startsWith('hookline-ingest'))).toHaveLength(
    threads,
  )
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  const source = await api.call<{ writeKeys: [{ key: string }] }>('POST', 'sources', { name: 'S' })
  const headers = { authorization: `Basic ${btoa(`${source.writeKeys[0].key}:`)}` }
  for (let count = 0; count < 20; count++) {
    const body = JSON.stringify({ event: 'Order Completed', userId: 'u1' })
    const sent = await fetch(`${service.url}/v1/track`, { method: 'POST', headers, body })
    expect(sent.status).toBe(200)
  }
  await expect
    .poll(() => api.call<{ data: object[] }>('GET', 'events').then(({ data }) => data.length))
    .toBe(20)
  expect(await service.stop(), service.stderr).toBe(0)
})

/** The names of a process's threads. Linux truncates them to 15 characters. */
function threadsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).map((id) => readFileSync(join(folder, id, 'comm'), 'utf8').trim())
}
