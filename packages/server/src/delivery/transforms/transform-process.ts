// Runs in a separate process, because V8 terminates the whole process if a single value exceeds its memory limit.

import { hash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, createContext, Script } from 'node:vm'
import { LIMITS } from '@hookline/protocol'

/** A JSONata expression, and the JSON text that it is applied to. */
export interface Evaluation {
  readonly expression: string
  readonly input: string
  /** Bound to `$url`: the URL of the webhook, with its placeholders. Absent if the expression does not need it. */
  readonly url?: string | undefined
}

/** JSON text (absent if the expression returned nothing), or an error. */
export type TransformResult = ({ readonly json?: string } | { readonly error: string }) & {
  readonly isOverLimit?: boolean
}

/** Shared with the context. */
interface Shared {
  evaluations: readonly Evaluation[]
  /** The results of completed evaluations, in order. */
  results: TransformResult[]
}

type Failure = Error & { readonly code?: string; readonly position?: number }

interface Expression {
  evaluate(input: unknown, bindings: Readonly<Record<string, string>> | undefined): unknown
  registerFunction(name: string, run: (...args: never[]) => unknown, signature: string): void
}

const MAX_CPU_MS = LIMITS.transformMs
/**
 * Wall-clock limits of successive tries. On a busy machine, an evaluation may wait for a core longer than it runs. An
 * expression that really is too slow exceeds the CPU limit on every try.
 */
const WALL_MS = [2 * MAX_CPU_MS, 2 * MAX_CPU_MS, 10 * MAX_CPU_MS, 100 * MAX_CPU_MS]
/** An evaluation fails when this many of its tries exceed the CPU limit. The first try may include compilation and optimisation by V8. */
const MAX_EXCEEDED = 2
const MAX_COMPILED = 500

/** Evaluates expressions. Runs inside the context: it must not use anything outside this function. */
function evaluator(
  shared: Shared,
  jsonata: (expression: string) => Expression,
  functions: Readonly<Record<string, readonly [(...args: never[]) => unknown, string]>>,
  maxCompiled: number,
): () => void {
  const compiled = new Map<string, Expression>()
  const compile = (text: string): Expression => {
    const expression = jsonata(text)
    for (const name in functions) expression.registerFunction(name, ...functions[name]!)
    if (compiled.size >= maxCompiled) compiled.clear()
    compiled.set(text, expression)
    return expression
  }
  /**
   * Rejects values that JSON.stringify would write as `null`, omit, or write only in part
   * (JSONata's functions).
   */
  const onlyJson = (_name: string, value: unknown): unknown => {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new TypeError('The result contains a number that JSON cannot represent.')
    const isFunction =
      typeof value === 'function' ||
      (typeof value === 'object' &&
        value !== null &&
        ('_jsonata_function' in value || '_jsonata_lambda' in value))
    if (isFunction) throw new TypeError('The result contains a function. Call it with parentheses.')
    return value
  }
  const evaluate = ({ expression, input, url }: Evaluation): TransformResult => {
    try {
      const program = compiled.get(expression) ?? compile(expression)
      const value = program.evaluate(JSON.parse(input), url === undefined ? undefined : { url })
      return value === undefined ? {} : { json: JSON.stringify(value, onlyJson) }
    } catch (error) {
      const { code, position, message } = error as Failure
      const place = position === undefined ? [] : [`at character ${position}`]
      const where = [...(code === undefined ? [] : [code]), ...place].join(' ')
      return { error: `${where === '' ? '' : `${where}: `}${message}`.slice(0, 500) }
    }
  }
  return () => {
    for (const each of shared.evaluations) shared.results.push(evaluate(each))
  }
}

// Without the interceptors of a contextified object, which make evaluation four times as slow.
const context = createContext(constants.DONT_CONTEXTIFY, {
  codeGeneration: { strings: false, wasm: false },
})
const shared: Shared = { evaluations: [], results: [] }
const source = readFileSync(createRequire(import.meta.url).resolve('jsonata'), 'utf8')
new Script(withoutPromises(source), { filename: 'jsonata.js' }).runInContext(context)
const functions = {
  sha256: [ofValues((text: string) => hash('sha256', text)), '<s:s>'],
  hmac: [
    ofValues((key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')),
    '<ss:s>',
  ],
  money: [
    ofValues((amount: number, currency: string) =>
      new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount),
    ),
    '<ns:s>',
  ],
  // JSONata's own versions need Node's globals, and do not support Unicode.
  base64encode: [ofValues((text: string) => Buffer.from(text).toString('base64')), '<s:s>'],
  base64decode: [ofValues((text: string) => Buffer.from(text, 'base64').toString()), '<s:s>'],
} as const
Object.assign(context, { shared, functions, maxCompiled: MAX_COMPILED })
const load = new Script(`(${evaluator.toString()})(shared, jsonata, functions, maxCompiled)`)
Object.assign(context, { run: load.runInContext(context) as () => void })
const run = new Script('run()')

/**
 * JSONata awaits every part of an expression in case a function is asynchronous, which takes most of its time. Here, no
 * function is asynchronous.
 * @throws {Error} if promises remain, because a new version of JSONata uses them differently
 */
function withoutPromises(jsonata: string): string {
  const changed = jsonata
    .replaceAll(/\basync (?=function\b|\()/g, '')
    .replaceAll(/\bawait (?=[\w(])/g, '')
    .replaceAll('Promise.all(', '(')
  const match = /\b(?:await|async)\s+[\w([{]|\bPromise\.|new Promise\b/.exec(
    changed.replaceAll(/^\s*(?:\*|\/\/).*$/gm, ''),
  )
  if (match) throw new Error(`JSONata has unknown asynchronous code: ${match[0]}`)
  return changed
}

/** Like JSONata's own functions, returns nothing if an argument is missing. */
function ofValues<Args extends unknown[]>(of: (...args: Args) => string) {
  return (...args: Args): string | undefined => (args.includes(undefined) ? undefined : of(...args))
}

/**
 * Evaluates as many of the batch as fit in the time limit of one evaluation, but at least one: setting a time limit
 * costs more than a typical evaluation. The main process sends the rest again, after giving other expressions a turn.
 */
function evaluateSome(evaluations: readonly Evaluation[]): TransformResult[] {
  const { results } = attempt(evaluations, MAX_CPU_MS)
  if (results.length === 0) results.push(evaluateOne(evaluations[0]!))
  return results.map(checkSize)
}

function evaluateOne(evaluation: Evaluation): TransformResult {
  let exceeded = 0
  for (const wallMs of WALL_MS) {
    const { results, cpuMs, failure } = attempt([evaluation], wallMs)
    if (failure !== undefined && failure.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return { error: `The evaluation failed (${failure.name}).` }
    const isWithin = cpuMs <= MAX_CPU_MS
    if (failure === undefined && isWithin) return results[0]!
    if (!isWithin && ++exceeded === MAX_EXCEEDED) break
  }
  return { error: `The transform used more than ${MAX_CPU_MS} ms of CPU time.`, isOverLimit: true }
}

function attempt(evaluations: readonly Evaluation[], wallMs: number) {
  Object.assign(shared, { evaluations, results: [] })
  let failure: NodeJS.ErrnoException | undefined
  const before = process.threadCpuUsage()
  try {
    run.runInContext(context, { timeout: wallMs })
  } catch (error) {
    failure = error as Error
  }
  const { user, system } = process.threadCpuUsage(before)
  return { results: shared.results, cpuMs: (user + system) / 1000, failure }
}

function checkSize(result: TransformResult): TransformResult {
  const { json = '' } = result as { readonly json?: string }
  if (Buffer.byteLength(json) <= LIMITS.payloadBytes) return result
  return { error: 'The result of the transform is larger than 4 MiB.', isOverLimit: true }
}

// Compiles and optimises the evaluator before the first event.
const WARM_UP = '{ "text": $uppercase(type), "sum": $sum(items.(price * quantity)) }'
for (let each = 0; each < 50; each++)
  evaluateOne({ expression: WARM_UP, input: '{"type":"a","items":[{"price":1,"quantity":2}]}' })

process.on('message', (evaluations: readonly Evaluation[]) => {
  process.send!(evaluateSome(evaluations))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
