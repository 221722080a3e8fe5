import { optimistic } from '@oazapfts/runtime'
import * as client from './generated/management-client.ts'
import { openStream, serviceFetch, type StreamOptions } from './service-fetch.ts'

/**
 * The management API of the service at `base`: every operation of the OpenAPI document, by its operationId.
 * Each resolves with the body of a successful response, and throws a Failure for every other response.
 * The generated client keeps its address for the whole process: the last call of this function wins.
 */
export function managementApi(base: URL, token: string) {
  const directory = base.href.endsWith('/') ? base.href : `${base.href}/`
  const baseUrl = new URL('.', directory).href
  const headers = { authorization: `Bearer ${token}` }
  Object.assign(client.defaults, { baseUrl, headers, fetch: serviceFetch(base) })
  return {
    ...optimistic(client),
    /** A GET whose response is read while it arrives. The generated client waits for the end of every body. */
    stream: (path: string, options: StreamOptions = {}) =>
      openStream(base, new URL(`api/v1/${path}`, baseUrl), {
        ...options,
        headers: { ...headers, ...options.headers },
      }),
  }
}

export type ManagementApi = ReturnType<typeof managementApi>

/** The fields that have a value: the API reads an absent field as "leave it as it is" or "any". */
export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as DefinedFields<T>
}

type DefinedFields<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
