import { basename, posix } from 'node:path'

/** A rule about a file, which the linter cannot express. */
export interface SourceRule {
  readonly name: string
  /** Whether a file with this path and text breaks the rule. */
  readonly breaks: (path: string, text: string) => boolean
  /** A file that breaks the rule, and one that does not. */
  readonly planted: readonly [path: string, text: string]
  readonly innocent: readonly [path: string, text: string]
}

const SAYS_NOTHING = /^(?:utils?|helpers?|types|common|manager|base)(?:\.|$)/

export const SOURCE_RULES: readonly SourceRule[] = [
  {
    name: 'has a descriptive name',
    breaks: (path) => SAYS_NOTHING.test(basename(path)),
    planted: ['packages/server/src/delivery/helpers.ts', ''],
    innocent: ['packages/server/src/delivery/type-of-answer.ts', ''],
  },
  {
    name: 'reads the time from a Clock, not from new Date()',
    breaks: (path, text) =>
      /^packages\/(?:protocol|server)\/src\//.test(path) &&
      /\bnew Date\(\)|\bnew Date\b(?!\()/.test(text),
    planted: ['packages/server/src/delivery/lane.ts', 'const now = new Date()'],
    innocent: ['packages/server/src/delivery/lane.ts', 'const then = new Date(dueAt)'],
  },
  {
    name: 'of a test suite imports no file of another suite; shared code is in @hookline/testing',
    breaks: (path, text) => {
      // Its files contain planted imports.
      if (path.startsWith('test/layers/')) return false
      const suite = suiteOf(path)
      const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, way]) =>
        suiteOf(posix.join(posix.dirname(path), way!)),
      )
      return suite !== undefined && imported.some((other) => other !== undefined && other !== suite)
    },
    planted: ['test/e2e/nodes/a.test.ts', "import { load } from '../../crash/load.ts'"],
    innocent: ['test/e2e/nodes/a.test.ts', "import { load } from '../load.ts'"],
  },
]

/** The folder of a package's tests, or of a suite in `test`. */
function suiteOf(path: string): string | undefined {
  return /^(?:packages\/[^/]+\/test|test\/[^/]+)(?=\/)/.exec(path)?.[0]
}
