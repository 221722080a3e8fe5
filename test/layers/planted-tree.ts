import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { WORKSPACE_NAMES, WORKSPACES } from '../../layers/workspaces.ts'
import { REPOSITORY } from '@hookline/testing/repository'

/** What the rules are made of: the linter's own configuration and the compiler's, as they stand. */
const CONFIGURATION = [
  'oxlint.config.ts',
  'layers',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'tsconfig.test.json',
  ...WORKSPACE_NAMES.filter((name) => WORKSPACES[name].planned !== true).map(
    (name) => `packages/${name}/tsconfig.json`,
  ),
]

/** One line of text in one file. */
export interface Text {
  readonly file: string
  readonly text: string
}

interface Diagnostic {
  readonly code?: string
  readonly message: string
  readonly filename: string
  readonly labels: readonly { readonly span: { readonly line: number } }[]
}

/** Something the linter said. Lines count from 1. */
export interface Report {
  readonly file: string
  readonly rule: string
  readonly line: number
}

/**
 * Lints a temporary tree of these texts with the real configuration. Texts of the same file stand in it
 * one below the other, in order. The tree is gone when the promise settles.
 */
export async function lint(texts: readonly Text[]): Promise<Report[]> {
  const root = await mkdtemp(join(tmpdir(), 'hookline-layers-'))
  try {
    // The compiler finds the types of Node there.
    await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'))
    for (const path of CONFIGURATION) {
      await cp(join(REPOSITORY, path), join(root, path), { recursive: true })
    }
    const files = Map.groupBy(texts, ({ file }) => file)
    for (const [file, parts] of files) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), parts.map(({ text }) => `${text}\n`).join(''))
    }
    return parse(await runOxlint(root))
  } finally {
    await rm(root, { recursive: true })
  }
}

/** The lines of its file that a text takes. */
export interface Lines {
  readonly first: number
  readonly last: number
}

/** Where each text begins and ends in its file, in the order given. */
export function linesOf(texts: readonly Text[]): Lines[] {
  const written = new Map<string, number>()
  return texts.map(({ file, text }) => {
    const before = written.get(file) ?? 0
    const last = before + text.split('\n').length
    written.set(file, last)
    return { first: before + 1, last }
  })
}

async function runOxlint(root: string): Promise<string> {
  const oxlint = join(REPOSITORY, 'node_modules/oxlint/bin/oxlint')
  const paths = ['packages', 'test', 'bench', 'release']
  return new Promise((resolve, reject) => {
    const options = { cwd: root, maxBuffer: 2 ** 26 }
    execFile(
      process.execPath,
      [oxlint, '--format=json', ...paths],
      options,
      (error, stdout, stderr) => {
        // 1 is how it says that there are reports; anything else, that it did not run.
        if (error && error.code !== 1) reject(new Error(stderr || stdout, { cause: error }))
        else resolve(stdout)
      },
    )
  })
}

function parse(output: string): Report[] {
  const { diagnostics } = JSON.parse(output) as { diagnostics: Diagnostic[] }
  // A file that cannot be parsed, or has no types, is skipped: then silence would prove nothing.
  const broken = diagnostics.find(({ code = '' }) => code === '' || code.includes('tsconfig'))
  if (broken) throw new Error(`${broken.filename}: ${broken.message}`)
  return diagnostics.map(({ code, filename, labels }) => ({
    file: filename,
    rule: code!,
    line: labels[0]?.span.line ?? 1,
  }))
}
