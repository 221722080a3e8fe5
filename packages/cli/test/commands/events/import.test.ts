import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { arrivedBatches } from '@hookline/testing/client/arrived-batches'
import { openReceiver, type Receiver, type Respond } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { errorOf, Hookline, type Run, run } from '@hookline/testing/cli/hookline'

const OK = { body: '{"success":true}' }

/** A file in its own folder. */
let file: string
beforeEach(() => {
  const folder = new TemporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  file = join(folder.path, 'calls.ndjson')
})

const lineOf = (index: number, more: object = {}) =>
  `${JSON.stringify({ type: 'track', userId: `u${index}`, event: 'E', ...more })}\n`
const write = (...lines: readonly string[]) => writeFileSync(file, lines.join(''))
const manyLines = (count: number) => Array.from({ length: count }, (_, index) => lineOf(index))

function argsFor({ port }: Pick<Receiver, 'port'>, ...more: readonly string[]): string[] {
  return ['import', file, '--url', `http://127.0.0.1:${port}`, '--write-key', 'wk', ...more]
}

const resultOf = ({ stdout }: Run) => JSON.parse(stdout) as Record<string, unknown>
const stateOf = () => JSON.parse(readFileSync(`${file}.import.json`, 'utf8')) as { line: number }

/** The content of the file of rejected lines. */
function rejectedLines(): Record<string, unknown>[] {
  const text = readFileSync(`${file}.rejected.ndjson`, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const arrived = ({ requests }: Receiver) => arrivedBatches(requests).flatMap(({ batch }) => batch)

describe('hookline import', () => {
  it('sends each line as a call with its original fields, and prints the result', async () => {
    await using receiver = await openReceiver({ respond: OK })
    const old = { messageId: 'm1', timestamp: '2013-05-01T09:30:00+02:00', context: { ip: '::1' } }
    write(lineOf(0, old), '\n', '{"userId":"u1","name":"Home"}')
    const { code, stdout, stderr } = await run(argsFor(receiver, '--type', 'page'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Imported: 2 accepted, 0 rejected, in \d+ s\.\n$/)
    expect(arrived(receiver)).toMatchObject([
      { type: 'track', event: 'E', ...old },
      { type: 'page', name: 'Home', messageId: expect.stringMatching(/^import-/) },
    ])
    expect(existsSync(`${file}.rejected.ndjson`)).toBe(false)
  })

  it('keeps the library of a line, which identifies the origin of the call', async () => {
    await using receiver = await openReceiver({ respond: OK })
    const library = { name: 'analytics-ruby', version: '2.2.0' }
    write(lineOf(0, { context: { library } }), lineOf(1, { context: { library: null } }), lineOf(2))
    expect((await run(argsFor(receiver))).code).toBe(0)
    expect(arrived(receiver).map(({ context }) => context)).toEqual([
      { library },
      { library: null },
      { library: expect.objectContaining({ name: '@hookline/client' }) },
    ])
  })

  it('exits 7, and writes lines rejected by the parser, the library or the service to a file', async () => {
    const rejected = [{ index: 1, messageId: 'm4', code: 'unknown_type', message: 'no' }]
    await using receiver = await openReceiver({
      respond: { body: JSON.stringify({ success: true, rejected }) },
    })
    write('no JSON\n', lineOf(2, { userId: null }), lineOf(3), lineOf(4, { messageId: 'm4' }))
    const result = await run(argsFor(receiver, '--json'))
    expect(result.code).toBe(7)
    expect(resultOf(result)).toEqual({
      kind: 'result',
      complete: true,
      wasComplete: false,
      line: 4,
      accepted: 1,
      rejected: 3,
      file,
      progressFile: `${file}.import.json`,
      rejectedFile: `${file}.rejected.ndjson`,
      elapsedMs: expect.any(Number),
    })
    expect(rejectedLines()).toMatchObject([
      { lineNumber: 1, code: 'invalid_json', line: 'no JSON' },
      { lineNumber: 2, code: 'no_user_anon_id', line: lineOf(2, { userId: null }).trimEnd() },
      { lineNumber: 4, code: 'unknown_type', message: 'Unknown call type.' },
    ])
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'partial', exitCode: 7 } })
  })

  it('attributes a rejection to the right one of two lines with the same messageId', async () => {
    const refuseFirst: Respond = ({ body }) => {
      const { batch } = JSON.parse(body.toString()) as { batch: { event: string }[] }
      if (batch[0]!.event !== 'second') return OK
      const rejected = [{ index: 0, messageId: 'same', code: 'unknown_type', message: 'no' }]
      return { body: JSON.stringify({ success: true, rejected }) }
    }
    await using receiver = await openReceiver({ respond: refuseFirst })
    const same = { messageId: 'same' }
    write(lineOf(0, same), lineOf(1, { ...same, event: 'second' }))
    expect((await run(argsFor(receiver))).code).toBe(7)
    expect(rejectedLines()).toMatchObject([{ lineNumber: 2 }])
  })

  it('resumes after an interruption with the first line whose outcome is unknown', async () => {
    const { promise: never } = Promise.withResolvers<number>()
    await using receiver = await openReceiver({
      respond: (_request, index) => (index < 2 ? OK : never),
    })
    write('bad\n', ...manyLines(9_999))
    await using interrupted = new Hookline(argsFor(receiver, '--json'))
    await receiver.waitFor(3)
    interrupted.signal('SIGINT')
    expect(await interrupted.exit()).toBe(130)
    expect(JSON.parse(interrupted.stdout)).toMatchObject({ complete: false, line: 2_001 })
    const { error } = JSON.parse(interrupted.stderr) as { error: { hint: string } }
    expect(error.hint).toBe(`Run the same command again to resume after line 2001 of ${file}.`)

    receiver.respond = () => OK
    const result = await run(argsFor(receiver, '--json'))
    expect(resultOf(result)).toMatchObject({ complete: true, accepted: 9_999, rejected: 1 })
    expect(rejectedLines()).toMatchObject([{ lineNumber: 1 }])
    // The batch in flight was sent again, with the same ids.
    const ids = arrived(receiver).map(({ messageId }) => messageId)
    expect(ids).toHaveLength(9_999 + 1_000)
    expect(new Set(ids).size).toBe(9_999)
  })

  it('drops rejected lines that were written after the last stored progress', async () => {
    await using receiver = await openReceiver({ respond: OK })
    write('bad\n', lineOf(1))
    await run(argsFor(receiver))
    const kept = readFileSync(`${file}.rejected.ndjson`, 'utf8')
    appendFileSync(`${file}.rejected.ndjson`, '{"lineNumber":9}\n')
    writeFileSync(`${file}.import.json`, JSON.stringify({ ...stateOf(), isComplete: false }))
    await run(argsFor(receiver))
    expect(readFileSync(`${file}.rejected.ndjson`, 'utf8')).toBe(kept)
  })

  it('exits 6 and stores its progress if the service is unavailable for longer than the retries', async () => {
    await using receiver = await openReceiver({
      respond: (_request, index) => (index === 0 ? OK : 'reset'),
    })
    write(...manyLines(3_000))
    const away = await run(argsFor(receiver, '--json', '--retries', '2'))
    expect(away.code).toBe(6)
    expect(receiver.requests).toHaveLength(1 + 3)
    expect(resultOf(away)).toMatchObject({ complete: false, line: 1_000, accepted: 1_000 })
    expect(stateOf()).toMatchObject({ line: 1_000 })
    receiver.respond = () => OK
    expect((await run(argsFor(receiver))).code).toBe(0)
    expect(arrived(receiver).slice(4_000)).toHaveLength(2_000)
  })

  it('exits 3 for an unknown write key, and sends nothing more', async () => {
    await using receiver = await openReceiver({
      respond: { status: 401, body: '{"code":"unknown_write_key"}' },
    })
    write(...manyLines(5_000))
    const { code, stderr } = await run(argsFor(receiver))
    expect(code).toBe(3)
    expect(stderr).toContain('The write key is missing or unknown.')
    expect(receiver.requests).toHaveLength(1)
    expect(stateOf()).toMatchObject({ line: 0, rejected: 0 })
  })

  it('counts nothing as accepted if a server other than Hookline responds with 200', async () => {
    await using receiver = await openReceiver({ respond: { body: '<h1>Welcome</h1>' } })
    write(lineOf(0))
    const { code, stderr } = await run(argsFor(receiver, '--retries', '0'))
    expect(code).toBe(1)
    expect(stderr).toContain('Unexpected response with status 200.')
    expect(stateOf()).toMatchObject({ line: 0, accepted: 0 })
  })

  it('requires --from-start to send an imported file again', async () => {
    await using receiver = await openReceiver({ respond: OK })
    write(lineOf(0))
    await run(argsFor(receiver))
    const again = await run(argsFor(receiver))
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Already imported') })
    expect(receiver.requests).toHaveLength(1)
    expect((await run(argsFor(receiver, '--from-start'))).code).toBe(0)
    const [first, second] = arrived(receiver)
    expect(second!.messageId).toBe(first!.messageId)
  })

  it('refuses to resume with a changed file or into another source', async () => {
    await using receiver = await openReceiver({ respond: OK })
    write(lineOf(0))
    await run(argsFor(receiver))
    const otherSource = await run(argsFor(receiver, '--write-key', 'wk_other', '--json'))
    expect(errorOf(otherSource)).toMatchObject({ code: 'target_changed', exitCode: 1 })
    appendFileSync(file, lineOf(1))
    const changed = await run(argsFor(receiver, '--json'))
    expect(errorOf(changed)).toMatchObject({ code: 'file_changed', exitCode: 1 })
    expect(errorOf(changed)['hint']).toContain('--from-start')
    expect(receiver.requests).toHaveLength(1)
  })

  it.for([
    ['does not exist', 4, (): void => {}],
    ['is a folder', 2, (): void => void (file = join(file, '..'))],
  ] as const)('reports a file that %s, and exits %i', async ([, code, prepare]) => {
    prepare()
    expect((await run(argsFor({ port: 1 }))).code).toBe(code)
  })
})
