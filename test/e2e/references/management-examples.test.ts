import { expect, test } from 'vitest'
import { EXAMPLE_BODIES } from '../../../packages/server/src/admin/reference/examples.ts'
import { schemaErrors } from '@hookline/testing/api/schema-errors'
import { OpenapiClient } from '@hookline/testing/api/openapi-client'
import { startService } from '@hookline/testing/service/running-service'

interface Media {
  readonly schema: object
  readonly example?: unknown
}

const ID_OF_EXAMPLES = /(src|dst|aud|trt)_01m81grcbgedzt0s6b232e4pp8/g

test('every example of a request matches its schema', async () => {
  await using service = await startService()
  const client = await OpenapiClient.of(service.url, service.token)
  for (const id of Object.keys(EXAMPLE_BODIES)) {
    const content = client.operations.get(id)!.requestBody!.content as Record<string, Media>
    const { schema, example } = content['application/json']!
    expect([id, example]).toEqual([id, EXAMPLE_BODIES[id]])
    expect([id, schemaErrors(client.resolve(schema), example)]).toEqual([id, []])
  }
})

test('a service accepts every example of a request', async () => {
  await using service = await startService()
  const client = await OpenapiClient.of(service.url, service.token)
  const ids: Record<string, string> = {}
  for (const [id, example] of Object.entries(EXAMPLE_BODIES)) {
    const text = JSON.stringify(example).replaceAll(ID_OF_EXAMPLES, (each, kind: string) =>
      ids[kind] === undefined ? each : ids[kind],
    )
    const body = JSON.parse(text) as object
    const kind = /Source|Destination|Filter|rotateS/.test(id)
      ? ({ changeSource: 'src' }[id] ?? 'dst')
      : ({ changeTrait: 'trt', changeMembers: 'manual' }[id] ?? 'aud')
    const { response, faults } = await client.send(id, {
      body,
      parameters: { id: ids[kind] ?? '' },
    })
    expect([id, response.status < 300, response.text, faults]).toEqual([
      id,
      true,
      response.text,
      [],
    ])
    const created = (JSON.parse(response.text) as { id?: string }).id
    if (id.startsWith('create') && created !== undefined) ids[created.slice(0, 3)] = created
    if (id === 'createAudience') {
      const manual = { name: 'Beta testers', destinationIds: [ids['dst']], manual: true }
      ids['manual'] = (await client.call<{ id: string }>('createAudience', { body: manual })).id
    }
  }
})
