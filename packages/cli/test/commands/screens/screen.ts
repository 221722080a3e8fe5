import { stripVTControlCharacters } from 'node:util'
import { vi } from 'vitest'
import { createProgram } from '../../../src/program.ts'

/** When the commands run. Everything happened three minutes earlier, or will happen an hour later. */
const NOW = '2026-07-01T12:00:00.000Z'
const PAST = '2026-07-01T11:57:00.000Z'
const FUTURE = '2026-07-01T13:00:00.000Z'

const IDS = /\b(src|dst|evt|msg|wk|tok|rpl|del|aud|trt|sup|syn)_([0-9A-Za-z]{12,})\b/g
const CURSORS = /(?<="nextCursor":")[^"]+/g
const SHOWN_CURSORS = /cursor_\d+/g
const TIMES = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g
const DURATIONS = /"(durationMs|lookupMs|connectMs|tlsMs|responseMs)":[\d.]+/g

/** Gives ids, times and ports in responses the same values in every run, without changing their length. */
export class SteadyService {
  readonly #startedAt = Date.now()
  readonly #shown = new Map<string, string>()
  readonly #real = new Map<string, string>()

  /** Makes `fetch` return fixed values, and stops the clock. */
  install(): void {
    const original = globalThis.fetch
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(NOW) })
    vi.stubGlobal('fetch', async (input: URL | string, init?: RequestInit) => {
      const url = String(input)
        .replaceAll(IDS, (id) => this.#real.get(id) ?? id)
        .replaceAll(SHOWN_CURSORS, (cursor) => encodeURIComponent(this.#real.get(cursor)!))
      const response = await original(url, init)
      const text = this.#steady(await response.text())
      return new Response(text, { status: response.status, headers: response.headers })
    })
  }

  /** The id that commands see for a record. */
  idOf(real: string): string {
    return this.#steadyId(real)
  }

  #steady(text: string): string {
    return (
      text
        .replaceAll(CURSORS, (cursor) => this.#steadyId(`cursor_${cursor}`, cursor))
        .replaceAll(IDS, (id) => this.idOf(id))
        .replaceAll(TIMES, (time) => this.#steadyTime(time))
        // Present only if the transfer took 1 ms or more.
        .replaceAll(/,"transferMs":[\d.]+/g, '')
        .replaceAll(DURATIONS, '"$1":12')
        .replaceAll(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, 'Wed, 01 Jul 2026 11:57:00 GMT')
        .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:54801')
    )
  }

  #steadyTime(time: string): string {
    const ms = Date.parse(time)
    // A time chosen by a test is not replaced.
    if (Math.abs(ms - this.#startedAt) > 1000 * 60 * 60 * 24 * 60) return time
    return ms > this.#startedAt + 1000 * 60 * 10 ? FUTURE : PAST
  }

  #steadyId(whole: string, real = whole): string {
    const known = this.#shown.get(real)
    if (known !== undefined) return known
    const [prefix = '', rest = ''] = whole.split('_')
    const steady = `${prefix}_${String(this.#shown.size + 1).padStart(rest.length, '0')}`
    this.#shown.set(real, steady)
    this.#real.set(steady, real)
    return steady
  }
}

export interface ScreenOptions {
  readonly columns?: number
  readonly colours?: boolean
}

/**
 * The output of a command on a screen of this width, stdout before stderr. Escape sequences are
 * shown as `␛`.
 */
export async function screenOf(
  args: readonly string[],
  { columns, colours = false }: ScreenOptions,
): Promise<string> {
  vi.stubEnv('COLUMNS', columns === undefined ? undefined : String(columns))
  vi.stubEnv('FORCE_COLOR', colours ? '1' : '0')
  vi.stubEnv('NO_COLOR', undefined)
  const texts = { out: '', err: '' }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => !!(texts.out += String(text))),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => !!(texts.err += String(text))),
  ]
  try {
    const program = await createProgram()
    await program.parseAsync(args, { from: 'user' })
  } finally {
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
  }
  const text = `${texts.out}${texts.err === '' ? '' : `--- stderr\n${texts.err}`}`
  return colours ? text.replaceAll('\u001b', '␛') : stripVTControlCharacters(text)
}
