import { readdirSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../harness/run.ts'
import type { Installation, Library } from '../library.ts'
import { withoutNulls } from '../without-nulls.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const SOURCES = readdirSync(FOLDER).filter((file) => file.endsWith('.java'))
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

/** 3.1 is the last version without a page category. */
const VERSIONS = ['3.5.4', '3.1.3'] as const

const installation: Installation = {
  name: 'java',
  needs: [
    ['mvn', '--version'],
    ['javac', '--version'],
  ],
  files: ['pom.xml', ...SOURCES].map((file) => new URL(file, import.meta.url)),
  async install(folder) {
    await copyFile(join(FOLDER, 'pom.xml'), join(folder, 'pom.xml'))
    for (const version of VERSIONS) await compile(join(folder, version), version, folder)
  },
}

/** Maven has no lockfile: it verifies downloads with the checksums of the registry. */
async function compile(target: string, version: string, cwd: string): Promise<void> {
  const options = [`-Dsegment.version=${version}`, `-DoutputDirectory=${target}/libraries`]
  const only = '-DincludeScope=runtime'
  await run('mvn', ['--batch-mode', '--quiet', '--strict-checksums', COPY, only, ...options], {
    cwd,
  })
  await mkdir(join(target, 'classes'))
  const sources = SOURCES.map((file) => join(FOLDER, file))
  const flags = ['-encoding', 'UTF-8', '-cp', `${target}/libraries/*`, '-d', `${target}/classes`]
  await run('javac', [...flags, ...sources])
}

function javaLibrary(
  version: (typeof VERSIONS)[number],
  more: Pick<Library, 'family'> & Partial<Library>,
): Library {
  return {
    name: 'com.segment.analytics.java:analytics',
    version,
    language: 'Java',
    installation,
    command(folder) {
      const classes = `${folder}/${version}/classes:${folder}/${version}/libraries/*`
      return { program: 'java', args: ['-Dfile.encoding=UTF-8', '-cp', classes, 'Program'] }
    },
    without: { gzip: 'does not compress' },
    dropsCallsIn: DROPS_CALLS_IN,
    ...more,
  }
}

const DROPS_CALLS_IN = {
  'large-batch': 'may exceed its own batch limit when calls come fast',
  kill: 'waits 15 s or longer before it retries',
  outage: 'waits 15 s or longer before it retries',
}

export const JAVA_LIBRARIES: readonly Library[] = [
  javaLibrary('3.5.4', { family: 'analytics-java', sends: withoutNulls }),
  javaLibrary('3.1.3', {
    family: 'analytics-java',
    // Its pages have no category.
    sends: ({ category: _category, ...call }) => withoutNulls(call),
  }),
]
