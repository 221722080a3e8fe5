import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** A service to develop against: `npm start` in another terminal. */
const SERVICE = process.env['HOOKLINE_URL'] ?? 'http://127.0.0.1:4800'

/** Beside each file its compressed form, which the service sends to browsers that take it. */
const compress: Plugin = {
  name: 'compress',
  apply: 'build',
  writeBundle({ dir }, files) {
    for (const name of Object.keys(files)) {
      if (!/\.(js|css)$/.test(name)) continue
      const file = `${dir}/${name}`
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
    }
  },
}

export default defineConfig(({ command }) => {
  // A test that packs the packages has another value, which would put React's development build into the files.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return {
    // The service serves the files under any path, so they name each other relative to themselves.
    base: command === 'serve' ? '/console/' : './',
    plugins: [react(), tailwindcss(), compress],
    resolve: { conditions: ['hookline-source', 'module', 'browser', 'default'] },
    build: {
      outDir: '../server/console-site',
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy forbids data: URLs of scripts and inline code.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              // What every page needs. Lists that are drawn in part are on few pages.
              {
                name: 'vendor',
                test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](?!(react-)?virtual))/,
              },
            ],
          },
        },
      },
    },
    server: { proxy: { '/api': { target: SERVICE, changeOrigin: false } } },
  }
})
