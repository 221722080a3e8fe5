import { describe, expect, it } from 'vitest'
import { createProgram } from '../../packages/cli/src/program.ts'
import { markdownPages, readRepositoryFile } from '@hookline/testing/repository'

/** Commands of npm itself, which are not scripts. */
const OF_NPM = new Set([
  'ci',
  'install',
  'exec',
  'init',
  'pack',
  'publish',
  'config',
  'view',
  'login',
  'pkg',
])

function missingScripts(text: string, scripts: readonly string[]): string[] {
  const named = [...text.matchAll(/\bnpm (run(?: -s| --silent)? )?([a-z][\w:-]*)/g)]
  return named
    .filter(([, run, name]) => run !== undefined || !OF_NPM.has(name!))
    .map(([, , name]) => name!)
    .filter((name) => !scripts.includes(name))
}

describe('the npm commands in pages', () => {
  const { scripts } = JSON.parse(readRepositoryFile('package.json')) as {
    scripts: Record<string, string>
  }

  it.for(markdownPages())('are scripts in package.json: %s', (page) => {
    expect(missingScripts(codeIn(readRepositoryFile(page)), Object.keys(scripts))).toEqual([])
  })

  it('are reported if they are missing', () => {
    const text = 'Run `npm ci && npm start`, `npm test`, `npm run -s lint` or `npm run test:all`.'
    expect(missingScripts(codeIn(text), ['start', 'test'])).toEqual(['lint', 'test:all'])
  })
})

const PROGRAM = await createProgram()

/** The hookline commands in a page that do not exist, or have unknown flags. */
function unknownCommands(text: string): string[] {
  const lines = [...text.matchAll(/(?:npx |`)hookline ([a-z][^`#\n]*)/g)].map(([, line]) =>
    line!.trim(),
  )
  return lines.filter((line) => !isKnown(PROGRAM, line.split(/\s+/)))
}

function isKnown(command: typeof PROGRAM, [word = '', ...rest]: readonly string[]): boolean {
  const below = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word))
  if (below !== undefined) return isKnown(below, rest)
  const isMissing = command.commands.length > 0 && word !== ''
  const flags = [word, ...rest].filter((each) => each.startsWith('--'))
  const known = [...command.options.flatMap(({ short, long }) => [short, long]), '--json', '--help']
  return !isMissing && flags.every((flag) => known.includes(flag))
}

describe('the commands of hookline in pages', () => {
  it.for(markdownPages())('exist, with their flags: %s', (page) => {
    expect(unknownCommands(codeIn(readRepositoryFile(page)))).toEqual([])
  })

  it('are reported if they do not exist', () => {
    const text =
      '`hookline trace evt_1 --json`, `hookline sauces list`, `hookline tail --loud`, `hookline`'
    expect(unknownCommands(text)).toEqual(['sauces list', 'tail --loud'])
  })
})

/** The text in code blocks and code spans. Prose may mention npm freely. */
function codeIn(text: string): string {
  return [...text.matchAll(/^```[^]*?^```|^ {4}.*$|`[^`\n]+`/gm)].join('\n')
}
