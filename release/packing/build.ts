import { copyFileSync, globSync, rmSync } from 'node:fs'
import { run } from '../command.ts'
import { type PackageName, packageFolder, ROOT } from '../packages.ts'

/** Builds packages and their dependencies from scratch. Puts the licence into their folders. */
export async function build(names: readonly PackageName[]): Promise<void> {
  const folders = names.map(packageFolder)
  // The compiler does not remove the output of deleted source files.
  for (const folder of folders) rmSync(`${folder}/dist`, { recursive: true, force: true })
  // --force ignores the compiler's build info, which may refer to deleted files.
  await run(`${ROOT}node_modules/.bin/tsc`, ['-b', '--force', ...folders], { cwd: ROOT })
  // The compiler does not copy SQL files.
  for (const folder of folders)
    for (const file of globSync('src/**/*.sql', { cwd: folder }))
      copyFileSync(`${folder}/${file}`, `${folder}/${file.replace('src', 'dist')}`)
  // The service serves the console and the documentation.
  if (names.includes('server')) {
    await run(`${ROOT}node_modules/.bin/vite`, ['build', 'packages/console'], { cwd: ROOT })
    await run(`${ROOT}node_modules/.bin/vitepress`, ['build', 'docs'], { cwd: ROOT })
  }
  for (const folder of folders) copyFileSync(`${ROOT}LICENSE`, `${folder}/LICENSE`)
}
