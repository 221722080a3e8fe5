import { PACKAGES, type PackageName, withDependencies } from './packages.ts'
import { makeTarballs, TARBALLS } from './packing/tarballs.ts'

// npm run pack [-- NAME…]: builds the tarballs of all packages, or of these and those they depend on, to install them without a
// registry.
const names = process.argv.slice(2)
const unknown = names.find((name) => !PACKAGES.some((each) => each === name))
if (unknown === undefined) {
  await pack(names.length === 0 ? PACKAGES : withDependencies(names as PackageName[]))
} else {
  const known = `${PACKAGES.slice(0, -1).join(', ')} or ${PACKAGES.at(-1)}`
  console.error(`error: No published package has the name "${unknown}". Use ${known}.`)
  process.exitCode = 2
}

async function pack(packages: readonly PackageName[]): Promise<void> {
  for (const { file, entries, bytes } of await makeTarballs(TARBALLS, packages))
    console.log(`${file}  ${entries.length} files, ${(bytes / 1000).toFixed(0)} kB`)
  console.log(`
Run this in the folder of your project, with Node ${packages.includes('server') ? 24 : 20} or newer:

  npm install ${packages.map((name) => `${TARBALLS}/${name}.tgz`).join(' ')}`)
}
