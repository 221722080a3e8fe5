import { EXAMPLE_BODIES } from './example-bodies.ts'
import { exampleOf, type ExampleContext } from './example-of.ts'
import type { Content, OpenapiDocument, Operation } from './openapi-document.ts'

/** The prefix of the ids of the records of a tag. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  Sources: 'src',
  Destinations: 'dst',
  Events: 'evt',
  Deliveries: 'msg',
  Replays: 'rpl',
  Deletions: 'del',
  Tokens: 'tok',
  Audit: 'log',
  Audiences: 'aud',
  'Computed traits': 'trt',
}

const PROBLEM = {
  type: 'urn:hookline:problem:not_found',
  title: 'There is no such record.',
  status: 404,
  code: 'not_found',
  detail: 'There is no such record.',
  requestId: '8a438615-7b1c-4672-b66c-fd97e1df8911',
  errors: [],
}

/** The document with an example in each request and each response that is JSON. */
export function withExamples(document: OpenapiDocument): OpenapiDocument {
  const { schemas } = document.components
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      const idPrefix = ID_PREFIXES[operation.tags[0]!] ?? 'evt'
      return [method, withOwnExamples(operation, { schemas, idPrefix })]
    })
    return [path, Object.fromEntries(operations)]
  })
  return { ...document, paths: Object.fromEntries(paths) as OpenapiDocument['paths'] }
}

function withOwnExamples(operation: Operation, context: ExampleContext): Operation {
  const { operationId, requestBody, responses } = operation
  const body = EXAMPLE_BODIES[operationId] ?? {}
  const answers = Object.entries(responses).map(([status, response]) => {
    const content = response.content && withExample(response.content, context)
    return [status, { ...response, ...(content && { content }) }]
  })
  return {
    ...operation,
    ...(requestBody && {
      requestBody: { ...requestBody, content: withExample(requestBody.content, context, body) },
    }),
    responses: Object.fromEntries(answers) as Operation['responses'],
  }
}

/** @param example by default one that is made from the schema */
function withExample(content: Content, context: ExampleContext, example?: unknown): Content {
  const all = Object.entries(content).map(([type, media]) => {
    if (!type.endsWith('json')) return [type, media]
    if (type === 'application/problem+json') return [type, { ...media, example: PROBLEM }]
    return [type, { ...media, example: example ?? exampleOf(media.schema, context) }]
  })
  return Object.fromEntries(all) as Content
}
