import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { budgets } from './build/budgets.ts'
import { compress } from './build/compress.ts'
import { firstPageGroup } from './build/first-page.ts'

/** A service to develop against: `npm start` in another terminal. */
const SERVICE = process.env['HOOKLINE_URL'] ?? 'http://127.0.0.1:4800'

/** What every page needs. Lists that are drawn in part are on few pages. */
const VENDOR = /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](?!(react-)?virtual))/

export default defineConfig(({ command }) => {
  // A test that packs the packages has another value, which would put React's development build into the files.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return {
    // The service serves the files under any path, so they name each other relative to themselves.
    base: command === 'serve' ? '/console/' : './',
    plugins: [react(), tailwindcss(), budgets(), compress()],
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
        // A busy machine is not a fault of the plugin.
        checks: { pluginTimings: false },
        output: {
          codeSplitting: {
            groups: [{ name: 'vendor', test: VENDOR, priority: 1 }, firstPageGroup()],
          },
        },
      },
    },
    server: { proxy: { '/api': { target: SERVICE, changeOrigin: false } } },
  }
})
