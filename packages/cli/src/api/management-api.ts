import { isJsonObject } from '@hookline/protocol'
import { optimistic, SUCCESS_CODES } from '@oazapfts/runtime'
import * as client from './generated/management-client.ts'
import { DEADLINE_MS, notHookline, unreachableFailure } from './connection-failure.ts'
import { type EXIT_CODES, Failure, type FailureDetail } from '../failure.ts'
import type { Problem } from './generated/management-client.ts'

/**
 * The operations of the OpenAPI document by operationId. Each throws a Failure unless the response is successful.
 * The generated client has one base URL per process: the last call to this function sets it.
 */
export function managementApi(base: URL, token: string) {
  const directory = base.href.endsWith('/') ? base.href : `${base.href}/`
  const baseUrl = new URL('.', directory).href
  const headers = { authorization: `Bearer ${token}` }
  Object.assign(client.defaults, { baseUrl, headers, fetch: serviceFetch(base) })
  return {
    ...optimistic(client),
    /** A GET with a streamed response, which the generated client does not support. */
    stream: (path: string, options: StreamOptions = {}) =>
      openStream(base, new URL(`api/v1/${path}`, baseUrl), {
        ...options,
        headers: { ...headers, ...options.headers },
      }),
  }
}

export type ManagementApi = ReturnType<typeof managementApi>

/** Removes undefined fields: to the API, an absent field means “unchanged” or “any”. */
export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as DefinedFields<T>
}

/**
 * The header that makes the service refuse a change if the record has changed since it was read. Empty if it was not
 * read.
 */
export function unchangedSince(record: { readonly version: number } | undefined) {
  return record === undefined ? {} : { ifMatch: `"${record.version}"` }
}

type DefinedFields<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/**
 * `fetch` for the generated client, with a deadline. Reads the whole body, because the client treats a broken body as
 * empty. @throws {Failure} unless the response is successful
 */
function serviceFetch(base: URL): typeof fetch {
  return async (url, init) => {
    const { status, text } = await responseOf(base, url, init)
    const body = parseJson(text)
    const hasBody = status !== 204
    const isSuccess = SUCCESS_CODES.some((code) => code === status)
    if (!isSuccess || (hasBody && body === undefined)) throw problemFailure(status, body)
    // The client relies on the content type, which a proxy may change.
    return hasBody ? Response.json(body, { status }) : new Response(null, { status })
  }
}

/** @throws {Failure} unless the response is 200 */
async function openStream(base: URL, url: URL, options: StreamOptions): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' }).catch((cause: unknown) => {
    throw unreachableFailure(base, cause)
  })
  if (response.status === 200) return response
  throw problemFailure(response.status, parseJson(await response.text().catch(() => '')))
}

async function responseOf(
  base: URL,
  url: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS)
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    return { status: response.status, text: await response.text() }
  } catch (cause) {
    throw unreachableFailure(base, cause)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type ShownProblem = Pick<Problem, 'code' | 'title' | 'detail'> &
  Partial<Pick<Problem, 'errors' | 'requestId'>>

const TOKEN_HINT =
  'Pass the token of this service with --token-file or --data-dir, or set HOOKLINE_ADMIN_TOKEN.'

/**
 * Pointers to ids that come from arguments or options: an unknown one means exit 4. An unknown id elsewhere is an error in a
 * document (exit 2).
 */
const ARGUMENT_ID = /^\/(?:sourceId|destinationId|eventId|(?:source|destination)Ids\/\d+)$/

function problemFailure(status: number, body: unknown): Failure {
  if (!isProblem(body)) return notHookline(status)
  const { code, title, errors: details = [] } = body
  const hint = hintOf(status, body)
  return new Failure(meaningOf(status, body), title, { code, details, ...(hint && { hint }) })
}

function isProblem(body: unknown): body is ShownProblem {
  if (!isJsonObject(body)) return false
  return [body['code'], body['title'], body['detail']].every((field) => typeof field === 'string')
}

function hintOf(status: number, problem: ShownProblem): string | undefined {
  const { code, detail, errors = [], requestId } = problem
  if (isInvalidToken(status, problem)) return TOKEN_HINT
  if (code === 'version_mismatch') return 'Run the command again.'
  // Each error has its own hint.
  if (errors.length > 0) return undefined
  return status === 500 && requestId !== undefined ? `${detail} requestId: ${requestId}` : detail
}

function meaningOf(status: number, problem: ShownProblem): keyof typeof EXIT_CODES {
  const { errors = [] } = problem
  if (status === 403 || isInvalidToken(status, problem)) return 'auth'
  if (status === 404 || (errors.length > 0 && errors.every(isUnknownId))) return 'not found'
  if (status === 503) return 'unreachable'
  return [400, 413, 422, 431].includes(status) ? 'usage' : 'failed'
}

function isInvalidToken(status: number, { code }: ShownProblem): boolean {
  return status === 401 || code === 'too_many_auth_failures'
}

function isUnknownId({ code, pointer }: FailureDetail): boolean {
  return code.startsWith('unknown_') && ARGUMENT_ID.test(pointer)
}
