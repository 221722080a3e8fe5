import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { budgets } from './build/budgets.ts'
import { compress } from './build/compress.ts'
import { firstPageGroup } from './build/first-page.ts'

/** A service to develop against: `npm start` in another terminal. */
const SERVICE = process.env['HOOKLINE_URL'] ?? 'http://127.0.0.1:4800'

/** Libraries that every page needs. Excludes @tanstack/virtual, which few pages use. */
const VENDOR = /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](?!(react-)?virtual))/

export default defineConfig(({ command }) => {
  // Tests that pack the packages set NODE_ENV to another value, which would bundle React's development build.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return {
    // The console may be served under any path, so files refer to each other by relative URLs.
    base: command === 'serve' ? '/console/' : './',
    plugins: [react(), tailwindcss(), budgets(), compress()],
    resolve: { conditions: ['hookline-source', 'module', 'browser', 'default'] },
    build: {
      outDir: '../server/console-site',
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy forbids inline code and data: URLs for scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // Plugin timings depend on the load of the machine, so do not warn about them.
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
