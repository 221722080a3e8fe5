import { expect, test } from 'vitest'
import { exchange } from '@hookline/testing/network/http-exchange'
import { startService } from '@hookline/testing/service/running-service'
import { ENDPOINTS } from '../../packages/server/src/ingest/endpoints.ts'

test.for(['0', '1'])(
  'with %s ingest threads, every ingestion path accepts repeated slashes',
  async (ingestThreads) => {
    await using service = await startService({ settings: { ingestThreads } })
    const call = { userId: 'u1', previousId: 'u0', groupId: 'g', event: 'e' }
    for (const { path, type } of ENDPOINTS) {
      const body = type === undefined ? { batch: [{ ...call, type: 'track' }] } : call
      for (const url of [
        `/${path}`,
        `//${path.replace('/v1', '/v1/')}`,
        `${path}/`,
        `/${path}//`,
      ]) {
        expect({ url, ...(await service.send(url, body)) }).toMatchObject({ url, status: 200 })
      }
    }
    const { writeKey } = service.source
    for (const path of [
      `//v1/projects/${writeKey}/settings`,
      `//projects/${writeKey}//settings/`,
    ]) {
      expect(await exchange(service.url + path, { method: 'GET' })).toMatchObject({ status: 200 })
    }
    expect(await exchange(`${service.url}//v1/batch`, { method: 'OPTIONS' })).toMatchObject({
      status: 200,
    })
  },
)

test('management API paths with repeated slashes are unknown, so that they cannot bypass a proxy', async () => {
  await using service = await startService()
  for (const path of ['//api/v1/system', '//metrics', '//console/']) {
    const response = await exchange(service.url + path, { method: 'GET' })
    expect({ path, status: response.status }).toEqual({ path, status: 404 })
  }
})
