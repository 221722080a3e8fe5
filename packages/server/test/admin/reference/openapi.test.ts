import Type from 'typebox'
import { Check, Errors } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdminServer } from '../admin-server.ts'

type Json = Record<string, unknown>

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly security?: readonly unknown[]
  readonly responses: Record<string, { headers?: Json; content?: Record<string, { schema: Json }> }>
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, Json> }
}

let server: AdminServer
let document: Document
beforeAll(async () => {
  server = await AdminServer.open()
  const headers = { authorization: '' }
  document = await server.must<Document>('GET', '/openapi.json', { headers })
})
afterAll(() => server[Symbol.asyncDispose]())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )

// The parts of OpenAPI 3.1 (§4.8) that this document uses. Anything else is an error.
const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const JsonSchema = Type.Union([Type.Boolean(), Type.Unsafe({ type: 'object' })])
const Media = Type.Object({ schema: JsonSchema, example: Type.Optional(Type.Unknown()) }, closed)
const Content = Type.Record(Type.String(), Media)
const Headers = Type.Record(
  Type.String(),
  Type.Object({ description: text, schema: JsonSchema }, closed),
)
const OpenapiOperation = Type.Object(
  {
    operationId: text,
    summary: text,
    description: Type.Optional(text),
    tags: Type.Array(text, { minItems: 1 }),
    security: Type.Optional(Type.Array(Type.Unsafe({ type: 'object' }))),
    parameters: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: text,
            in: Type.Enum(['path', 'query', 'header']),
            required: Type.Boolean(),
            description: Type.Optional(text),
            schema: JsonSchema,
          },
          closed,
        ),
      ),
    ),
    requestBody: Type.Optional(
      Type.Object({ required: Type.Optional(Type.Boolean()), content: Content }, closed),
    ),
    responses: Type.Record(
      Type.String({ pattern: '^([1-5][0-9]{2}|default)$' }),
      Type.Object(
        { description: text, headers: Type.Optional(Headers), content: Type.Optional(Content) },
        closed,
      ),
      closed,
    ),
  },
  closed,
)
const Openapi = Type.Object(
  {
    openapi: Type.Literal('3.1.0'),
    info: Type.Object({ title: text, version: text, description: text }, closed),
    servers: Type.Array(
      Type.Object(
        { url: text, description: text, variables: Type.Unsafe({ type: 'object' }) },
        closed,
      ),
    ),
    security: Type.Array(Type.Object({ token: Type.Array(text) }, closed)),
    components: Type.Object(
      {
        schemas: Type.Record(Type.String({ pattern: '^[\\w.-]+$' }), JsonSchema),
        securitySchemes: Type.Unsafe({ type: 'object' }),
      },
      closed,
    ),
    paths: Type.Record(
      Type.String({ pattern: '^/' }),
      Type.Record(
        Type.String({ pattern: '^(get|post|patch|delete|put)$' }),
        OpenapiOperation,
        closed,
      ),
      closed,
    ),
  },
  closed,
)

test('the document is OpenAPI 3.1', () => {
  expect(Errors(Openapi, document)).toEqual([])
  const ids = operations().map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, operation } of operations()) {
    const inPath = (operation.parameters ?? []).filter((each) => each.in === 'path')
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(inPath.map(({ name }) => name)).toEqual(named)
  }
})

test('every reference points to a schema', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
  expect(references.length).toBeGreaterThan(10)
  for (const [, reference = ''] of references) {
    const name = reference.replace('#/components/schemas/', '')
    expect(Object.keys(document.components.schemas)).toContain(name)
  }
})

test('the document lists exactly the registered routes', () => {
  const listed = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`)
  const registered = server.routes
    .filter((route) => !route.startsWith('HEAD '))
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
  expect(listed.toSorted()).toEqual(registered.toSorted())
})

test('every POST accepts an Idempotency-Key, and every route with If-Match returns an ETag', () => {
  for (const { path, method, operation } of operations()) {
    const headers = (operation.parameters ?? []).filter((each) => each.in === 'header')
    const names = headers.map(({ name }) => name)
    expect([path, names.includes('idempotency-key')]).toEqual([path, method === 'post'])
    const hasEtag = Object.values(operation.responses).some((each) => each.headers?.['etag'])
    if (names.includes('if-match') && method !== 'delete')
      expect([path, hasEtag]).toEqual([path, true])
  }
})

test('only the document itself and the sign-in work without a token', () => {
  const open = operations().filter(({ operation }) => operation.security?.length === 0)
  expect(open.map(({ path }) => path)).toEqual(['/api/v1/openapi.json', '/api/v1/sessions'])
})

test('responses match the document', async () => {
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = {
    sharedSecret: 'correct horse battery',
    webhooks: [{ url: 'https://a.example', headers: { k: 'v' } }],
  }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  const destination = await server.must<{ id: string }>('POST', '/destinations', { body })
  const calls = [
    ['/api/v1/sources', '/sources'],
    ['/api/v1/sources/{id}', `/sources/${source.id}`],
    ['/api/v1/destinations', '/destinations'],
    ['/api/v1/destinations/{id}', `/destinations/${destination.id}`],
    ['/api/v1/events', '/events'],
    ['/api/v1/deliveries', '/deliveries'],
  ] as const
  for (const [path, url] of calls) {
    const schema = document.paths[path]?.['get']?.responses['200']?.content?.['application/json']
    const answer = await server.must<Json>('GET', url)
    expect(errorsAgainst(schema!.schema, answer), path).toEqual([])
  }
  const problem = await server.call('GET', '/sources/none')
  expect(errorsAgainst(document.components.schemas['Problem']!, problem.body)).toEqual([])
  expect(Check(document.components.schemas['Problem']!, {})).toBe(false)
})

/** The places where `value` violates the schema. References are resolved, and only documented fields are allowed. */
function errorsAgainst(schema: Json, value: unknown): unknown[] {
  return Errors(resolved(schema) as Json, value)
}

function resolved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolved)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...rest } = schema as Json
  if (typeof $ref === 'string') {
    return resolved(document.components.schemas[$ref.replace('#/components/schemas/', '')])
  }
  const entries = Object.entries(rest).map(([key, child]) => [key, resolved(child)])
  const isClosable = 'properties' in rest && !('additionalProperties' in rest)
  return { ...Object.fromEntries(entries), ...(isClosable && { additionalProperties: false }) }
}
