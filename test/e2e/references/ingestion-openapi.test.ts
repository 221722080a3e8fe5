import { ENDPOINTS } from '../../../packages/server/src/ingest/endpoints.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemaFaults } from '@hookline/testing/api/schema-faults'
import { exchange } from '@hookline/testing/network/http-exchange'
import { OpenapiClient, type Operation } from '@hookline/testing/api/openapi-client'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

interface Media {
  readonly schema: { readonly $ref?: string }
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

let service: RunningService
let client: OpenapiClient
let text: string
beforeAll(async () => {
  service = await startService()
  const path = '/v1/openapi.json'
  client = await OpenapiClient.of(service.url, service.source.writeKey, path)
  text = (await exchange(service.url + path, { method: 'GET' })).text
})
afterAll(() => service[Symbol.asyncDispose]())

const bodyOf = ({ requestBody }: Operation): Media | undefined =>
  requestBody?.content['application/json']

const valuesOf = ({ examples = {} }: Media): unknown[] =>
  Object.values(examples).map(({ value }) => value)

describe('the OpenAPI document of the ingestion API', () => {
  test('has every path that takes calls, and no path of the management API', () => {
    const paths = [...client.operations.values()].map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining([...new Set(ENDPOINTS.map(({ route }) => route))]))
    expect(text).not.toContain('/api/v1')
    for (const { path } of ENDPOINTS) expect(text).toContain(path)
  })

  test('refers to schemas that it has', () => {
    const { components } = JSON.parse(text) as { components: { schemas: object } }
    const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, n]) => n!)
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => !Object.hasOwn(components.schemas, name))).toEqual([])
  })

  test('has an example for every request and every response, and each matches its schema', () => {
    for (const [id, operation] of client.operations) {
      const bodies = bodyOf(operation) ? [bodyOf(operation)!] : []
      const answers = Object.values(operation.responses).flatMap(({ content }) =>
        content ? (Object.values(content) as Media[]) : [],
      )
      for (const media of [...bodies, ...answers]) {
        expect([id, valuesOf(media).length > 0]).toEqual([id, true])
        for (const value of valuesOf(media))
          expect([id, value, schemaFaults(client.resolve(media.schema), value)]).toEqual([
            id,
            value,
            [],
          ])
      }
    }
  })

  test('has requests that a service accepts, with responses as documented', async () => {
    let sent = 0
    for (const [id, operation] of client.operations) {
      const media = bodyOf(operation)
      if (media === undefined) continue
      for (const body of valuesOf(media)) {
        const { response, faults } = await client.send(id, { body })
        expect([id, response.status, faults]).toEqual([id, 200, []])
        sent++
      }
      const { response, faults } = await client.send(id, { body: {} })
      expect([id, response.status, faults]).toEqual([id, 400, []])
    }
    expect(sent).toBe(7)
    const { writeKey } = service.source
    const settings = await client.send('getSettings', { parameters: { writeKey } })
    expect([settings.response.status, settings.faults]).toEqual([200, []])
    const unknown = await client.send('getSettings', { parameters: { writeKey: 'wk_x' } })
    expect([unknown.response.status, unknown.faults]).toEqual([404, []])
  })
})
