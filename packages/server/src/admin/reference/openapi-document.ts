export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export type Content = Readonly<
  Record<
    string,
    {
      readonly schema: JsonSchema
      readonly example?: unknown
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
    }
  >
>

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string }>>
  readonly content?: Content
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** An OpenAPI document, with the fields that the page shows. */
export interface OpenapiDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly paths: Operations
  readonly webhooks?: Operations
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** An operation with its method and its path. */
export interface Listed {
  readonly method: string
  /** `null` for a request that the service sends to a webhook. */
  readonly path: string | null
  readonly operation: Operation
}

/** The operations of a document in their order, by their tags. */
export function operationsByTag({ paths, webhooks = {} }: OpenapiDocument): Map<string, Listed[]> {
  const listed = (operations: Operations, isPath: boolean): Listed[] =>
    Object.entries(operations).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method,
        path: isPath ? path : null,
        operation,
      })),
    )
  const all = [...listed(paths, true), ...listed(webhooks, false)]
  return Map.groupBy(all, ({ operation }) => operation.tags[0] ?? 'Other')
}

/** A JSON Schema, with the keywords that the reference shows. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}
