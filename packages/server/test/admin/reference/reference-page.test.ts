import { expect, test } from 'vitest'
import { type OpenapiDocument, referencePage } from '../../../src/admin/reference/reference-page.ts'
import { escapeHtml } from '../../../src/util/escape-html.ts'
import { RouteRoles } from '../../../src/admin/access/roles.ts'
import { AdminServer } from '../admin-server.ts'

/** Every summary and description in a part of the document. */
function textsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    ['summary', 'description'].includes(name) && typeof value === 'string'
      ? [value]
      : textsIn(value),
  )
}

test('the page shows every summary and description of the document', async () => {
  await using server = await AdminServer.open()
  const document = await server.must<OpenapiDocument>('GET', '/openapi.json')
  const { roles } = server
  const page = referencePage(document, '/api/v1/openapi.json', roles)
  const texts = [...textsIn(document.paths), ...textsIn(document.components.schemas)]
  expect(texts.length).toBeGreaterThan(200)
  expect(page).toContain('Requires the editor role.')
  expect(texts.filter((text) => !page.includes(escapeHtml(text)))).toEqual([])
})

test('the page shows limits, options and headers, and escapes strings', () => {
  const schema = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } }
  const document = {
    info: { title: 'A & B', description: '<b>' },
    paths: {
      '/a/{id}': {
        get: {
          operationId: 'getA',
          summary: 'Shows "a"',
          tags: ['A'],
          parameters: [
            { name: 'q', in: 'query', schema: { type: 'string', minLength: 1, maxLength: 9 } },
          ],
          responses: {
            200: {
              description: 'It.',
              headers: { etag: { description: 'The version.' } },
              content: {
                'application/json': {
                  schema: { anyOf: [schema, { type: 'null' }] },
                  examples: { one: { value: { a: '<i>' } } },
                },
              },
            },
          },
        },
      },
    },
    components: { schemas: {} },
  }
  const page = referencePage(document, '/openapi.json', new RouteRoles())
  expect(page).toContain('<title>A &amp; B</title>')
  expect(page).toContain('&lt;b&gt;')
  expect(page).toContain('Shows &quot;a&quot;')
  expect(page).toContain('string, 1 to 9 characters')
  expect(page).toContain('Header etag')
  expect(page).toContain('one of')
  expect(page).toContain('&quot;a&quot;: &quot;&lt;i&gt;&quot;')
})
