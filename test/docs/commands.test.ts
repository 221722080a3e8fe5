import { describe, expect, it } from 'vitest'
import { markdownPages, read } from './repository.ts'

/** Commands of npm itself, which need no script. */
const OF_NPM = new Set(['ci', 'install', 'exec', 'init', 'pack', 'publish', 'config', 'view'])

/** The scripts a page tells its reader to run that package.json does not have. */
function missingScripts(text: string, scripts: readonly string[]): string[] {
  const named = [...text.matchAll(/\bnpm (run(?: -s| --silent)? )?([a-z][\w:-]*)/g)]
  return named
    .filter(([, run, name]) => run !== undefined || !OF_NPM.has(name!))
    .map(([, , name]) => name!)
    .filter((name) => !scripts.includes(name))
}

describe('the commands that pages name', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

  it.for(markdownPages())('are scripts of package.json: %s', (page) => {
    expect(missingScripts(codeIn(read(page)), Object.keys(scripts))).toEqual([])
  })

  it('would be found missing', () => {
    const text = 'Run `npm ci && npm start`, `npm test`, `npm run -s lint` or `npm run test:all`.'
    expect(missingScripts(codeIn(text), ['start', 'test'])).toEqual(['lint', 'test:all'])
  })
})

/** What stands in code blocks and code spans; prose may speak of npm as it likes. */
function codeIn(text: string): string {
  return [...text.matchAll(/^```[^]*?^```|^ {4}.*$|`[^`\n]+`/gm)].join('\n')
}
