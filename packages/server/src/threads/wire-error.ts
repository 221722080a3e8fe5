import { BackendUnavailable } from '../backend/backend.ts'
import { CatalogConflict } from '../backend/catalog.ts'

/** An error as it crosses between threads. A structured clone would lose its class, its code and the name it gave itself. */
export interface WireError {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
  readonly cause?: WireError | undefined
  /** Its own properties that are texts, numbers or booleans: `code` and the like. */
  readonly properties: Readonly<Record<string, unknown>>
}

/** Causes of causes that cross. */
const MOST_CAUSES = 4

/** The classes of errors that code asks for with `instanceof`. Others arrive as Error, with their name. */
const CLASSES = new Map(
  [BackendUnavailable, CatalogConflict, TypeError, RangeError, SyntaxError].map((each) => [
    each.name,
    each,
  ]),
)

/** What crosses of an error, or of anything else that was thrown. */
export function wireError(error: unknown, causes = MOST_CAUSES): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), properties: {} }
  const { name, message, stack, cause } = error
  return {
    name,
    message,
    stack,
    ...(cause instanceof Error && causes > 0 && { cause: wireError(cause, causes - 1) }),
    properties: Object.fromEntries(Object.entries(error).filter(([, value]) => isPlain(value))),
  }
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** The error again, with its name, message, stack, code and causes. A `BackendUnavailable` is one again. */
export function restoredError({ name, message, stack, cause, properties }: WireError): Error {
  const options = cause && { cause: restoredError(cause) }
  const error: Error = new (CLASSES.get(name) ?? Error)(message, options)
  if (error.name !== name) error.name = name
  if (stack !== undefined) error.stack = stack
  return Object.assign(error, properties)
}
