import { schemaErrors } from './schema-errors.ts'
import { exchange, type ReceivedResponse } from '../network/http-exchange.ts'

type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Json
}

type Content = Readonly<Record<string, { readonly schema: Json }>>

export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

export interface OperationInput {
  readonly parameters?: Readonly<Record<string, string>>
  /** A string is sent unchanged, everything else as JSON. */
  readonly body?: unknown
}

/** A client that uses the API only through its OpenAPI document, which it reads at run time. */
export class OpenapiClient {
  readonly operations: ReadonlyMap<
    string,
    Operation & { readonly method: string; readonly path: string }
  >
  readonly #document: Document
  readonly #origin: string
  readonly #token: string

  private constructor(origin: string, token: string, document: Document) {
    this.#origin = origin
    this.#token = token
    this.#document = document
    const all = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, method, path })),
    )
    this.operations = new Map(all.map((operation) => [operation.operationId, operation]))
  }

  /** @param token sent as a Bearer token @param path the path of the document */
  static async of(
    origin: string,
    token: string,
    path = '/api/v1/openapi.json',
  ): Promise<OpenapiClient> {
    const { text } = await exchange(origin + path, { method: 'GET' })
    return new OpenapiClient(origin, token, JSON.parse(text) as Document)
  }

  /** Resolves to the response, and to its deviations from the document. */
  async send(
    operationId: string,
    { parameters = {}, body }: OperationInput = {},
  ): Promise<{ readonly response: ReceivedResponse; readonly faults: readonly string[] }> {
    const operation = this.operations.get(operationId)!
    const of = (place: Parameter['in']) =>
      (operation.parameters ?? [])
        .filter((each) => each.in === place && each.name in parameters)
        .map(({ name }) => [name, parameters[name]!] as const)
    const path = of('path').reduce(
      (url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)),
      operation.path,
    )
    const query = new URLSearchParams(
      of('query').map(([name, value]): [string, string] => [name, value]),
    ).toString()
    const response = await exchange(`${this.#origin}${path}${query && `?${query}`}`, {
      method: operation.method.toUpperCase(),
      headers: {
        Authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...Object.fromEntries(of('header')),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { response, faults: this.#faultsOf(operation, response) }
  }

  /** Sends a request that must succeed and match the document. */
  async call<T = Record<string, never>>(
    operationId: string,
    input: OperationInput = {},
  ): Promise<T> {
    const { response, faults } = await this.send(operationId, input)
    if (response.status >= 300 || faults.length > 0) {
      throw new Error(
        `${operationId} responded with ${response.status} ${response.text} ${faults.join()}`,
      )
    }
    return (response.text === '' ? undefined : JSON.parse(response.text)) as T
  }

  bodySchema(operationId: string): Json | undefined {
    const { schema } =
      this.operations.get(operationId)!.requestBody?.content['application/json'] ?? {}
    return schema && (this.#resolved(schema, false) as Json)
  }

  resolve(schema: object): object {
    return this.#resolved(schema, false) as object
  }

  #faultsOf({ responses }: Operation, { status, headers, text }: ReceivedResponse): string[] {
    const documented = responses[`${status}`] ?? (status >= 400 ? responses['default'] : undefined)
    if (documented === undefined) return [`status ${status} is not in the document`]
    if (documented.content === undefined)
      return text === '' ? [] : ['a body that is not in the document']
    const [type = ''] = (headers['content-type'] ?? '').split(';')
    const content = documented.content[type]
    if (content === undefined) return [`content-type ${type} is not in the document`]
    if (!type.endsWith('json')) return []
    return schemaErrors(this.#resolved(content.schema, true) as object, JSON.parse(text))
  }

  /** With `closed`, objects may only have documented fields. */
  #resolved(schema: unknown, closed: boolean): unknown {
    if (Array.isArray(schema)) return schema.map((each) => this.#resolved(each, closed))
    if (typeof schema !== 'object' || schema === null) return schema
    const { $ref, ...rest } = schema as Json
    if (typeof $ref === 'string') {
      return this.#resolved(this.#document.components.schemas[$ref.split('/').at(-1)!], closed)
    }
    const entries = Object.entries(rest).map(([key, each]) => [key, this.#resolved(each, closed)])
    const isClosable = closed && 'properties' in rest && !('additionalProperties' in rest)
    return { ...Object.fromEntries(entries), ...(isClosable && { additionalProperties: false }) }
  }
}
