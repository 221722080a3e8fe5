import { basename } from 'node:path'
import { build } from './packing/build.ts'
import { PACKAGES } from './packages.ts'

// npm runs this in the folder of a package before packing it, so that no tarball lacks its build.
const name = PACKAGES.find((each) => each === basename(process.cwd()))
if (name === undefined) throw new Error(`${process.cwd()} is not the folder of a package.`)
await build([name])
