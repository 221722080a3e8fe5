import { expect } from 'vitest'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'

const ADMIN_TOKEN = 'tok_disk_test'

/** Starts the service with this data folder. It is killed when disposed. */
export async function startOn(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
  const service = new ServiceProcess({
    port: await freePort(),
    dataDir,
    settings: {
      HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
      HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
      HOOKLINE_LOG_LEVEL: 'error',
      ...settings,
    },
  })
  expect(await service.ready(), service.stderr).toBe(true)
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  return Object.assign(service, { api, [Symbol.asyncDispose]: () => service.kill() })
}

/** The response of /readyz. */
export async function readiness(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, text: await response.text() }
}
