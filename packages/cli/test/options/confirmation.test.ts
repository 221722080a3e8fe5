import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { ApiCommand } from '../../src/commands/api-command.ts'
import type { Failure } from '../../src/failure.ts'
import { confirm } from '../../src/options/confirmation.ts'

const EFFECT = 'This deletes the source "Shop" and its 2 destinations.'

/** Confirms a deletion on a terminal where the user types `typed`. */
async function confirmTyping(typed: string, ...args: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const command = new ApiCommand('delete').confirmed().parse(args, { from: 'user' })
  input.end(typed)
  const result = await confirm(command, () => EFFECT, { input, output }).then(
    () => 'confirmed' as const,
    ({ exitCode, code }: Failure) => ({ exitCode, code }),
  )
  output.end()
  return { result, shown: await text(output) }
}

describe('a confirmation on a terminal', () => {
  test.each(['y\n', 'Yes\n', ' y \r'])(
    'describes the effect, and proceeds after %j',
    async (typed) => {
      const { result, shown } = await confirmTyping(typed)
      expect([result, shown.startsWith(`${EFFECT}\n`)]).toEqual(['confirmed', true])
    },
  )

  test.each(['\n', 'n\n', 'yessir\n', ''])('changes nothing after %j', async (typed) => {
    const { result } = await confirmTyping(typed)
    expect(result).toEqual({ exitCode: 1, code: 'not_confirmed' })
  })

  test('is interrupted by Ctrl-C', async () => {
    const { result } = await confirmTyping('\u0003')
    expect(result).toMatchObject({ exitCode: 130 })
  })

  test('is skipped with --yes', async () => {
    expect(await confirmTyping('', '--yes')).toEqual({ result: 'confirmed', shown: '' })
  })
})
