import type { Command } from 'commander'
import { expect, test, vi } from 'vitest'
import { columnsOf } from '../../src/layout/measure.ts'
import { EXAMPLES } from '../../src/help/configure-help.ts'
import { createProgram } from '../../src/program.ts'

/** Every command with its path, and the program itself. */
function commandsOf(command: Command, path = ''): [string, Command][] {
  const below = command.commands.filter((each) => each.name() !== 'help')
  return [
    [path, command],
    ...below.flatMap((each) => commandsOf(each, `${path} ${each.name()}`.trim())),
  ]
}

function helpOf(command: Command): string {
  let text = ''
  const out = { writeOut: (part: string) => void (text += part), getOutHelpWidth: () => 80 }
  command.configureOutput(out).outputHelp()
  return text
}

const COMMANDS = commandsOf(await createProgram())

test('`hookline --help` has not changed', async () => {
  vi.stubEnv('COLUMNS', undefined)
  await expect(helpOf(await createProgram())).toMatchFileSnapshot('hookline.txt')
})

test.each(COMMANDS)(
  'the help of `%s` describes everything, and fits in 80 columns',
  (_path, command) => {
    expect(command.description()).not.toBe('')
    for (const option of command.options) expect(option.description).not.toBe('')
    for (const line of helpOf(command).split('\n')) {
      // An example is a single line, so that it can be copied.
      if (!line.startsWith('Example: ')) expect(columnsOf(line), line).toBeLessThanOrEqual(80)
    }
  },
)

test('examples belong to commands, and descriptions fit on one line', () => {
  const paths = COMMANDS.map(([path]) => path)
  expect(Object.keys(EXAMPLES).filter((path) => !paths.includes(path))).toEqual([])
  for (const [path, command] of COMMANDS)
    if (path !== '') expect(command.description().length, path).toBeLessThanOrEqual(66)
})

test('only the command in the arguments is loaded', async () => {
  const namesIn = async (args: readonly string[]) =>
    (await createProgram({ args })).commands.map((each) => each.name())
  const all = await namesIn([])
  for (const name of all) {
    expect(await namesIn(['--json', name, 'list'])).toEqual(name === 'completion' ? all : [name])
    expect(await namesIn(['help', name])).toEqual(all)
  }
  expect(await namesIn(['--version'])).toEqual(['version'])
  expect(await namesIn(['users', 'list'])).toEqual(['profiles'])
})
