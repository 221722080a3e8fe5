import { execFile } from 'node:child_process'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { WORKSPACE_NAMES } from '../../layers/workspaces.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { REPOSITORY } from '@hookline/testing/repository'
import type { PlantedFile } from './plants.ts'

/** The real configuration of the linter and the compiler. */
const CONFIGURATION = [
  'oxlint.config.ts',
  'layers',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'tsconfig.test.json',
  ...WORKSPACE_NAMES.map((name) => `packages/${name}/tsconfig.json`),
]

interface Diagnostic {
  readonly code?: string
  readonly message: string
  readonly filename: string
}

/** Lints a tree of these files with the real configuration. Resolves with each report as its rule and path. */
export async function lint(files: readonly PlantedFile[]): Promise<ReadonlySet<string>> {
  using folder = new TemporaryFolder()
  const root = folder.path
  // The compiler needs Node's types.
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'))
  for (const path of CONFIGURATION)
    await cp(join(REPOSITORY, path), join(root, path), { recursive: true })
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), `${text}\n`)
  }
  const { diagnostics } = JSON.parse(await runOxlint(root)) as { diagnostics: Diagnostic[] }
  // Files that cannot be parsed or have no types are skipped, so the absence of reports would prove nothing.
  const broken = diagnostics.find(({ code = '' }) => code === '' || code.includes('tsconfig'))
  if (broken) throw new Error(`${broken.filename}: ${broken.message}`)
  return new Set(diagnostics.map(({ code, filename }) => `${code} ${filename}`))
}

function runOxlint(cwd: string): Promise<string> {
  const oxlint = join(REPOSITORY, 'node_modules/oxlint/bin/oxlint')
  const args = [oxlint, '--format=json', 'packages', 'test', 'bench', 'release']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      // Exit code 1 means that there are reports, and any other that the linter failed.
      if (error && error.code !== 1) reject(new Error(stderr || stdout, { cause: error }))
      else resolve(stdout)
    })
  })
}
