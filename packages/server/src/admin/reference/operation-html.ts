import { roleFor } from '../access/route-roles.ts'
import { escapeHtml as e } from '../../util/escape-html.ts'
import type { Content, Listed, Parameter, Response } from './openapi-document.ts'
import { schemaHtml } from './schema-html.ts'

/** One operation: what it needs, its parameters, its body and its responses, with examples. */
export function operationHtml(listed: Listed): string {
  const { method, path, operation } = listed
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const bodies = Object.values(requestBody?.content ?? {})
  return `<article id="${e(operationId)}">
<h3><b class="${e(method)}">${e(method)}</b> <code>${e(path ?? 'to the URL of the webhook')}</code></h3>
<p>${e(summary)}. ${accessHtml(listed)}</p>${description === undefined ? '' : `<p>${e(description)}</p>`}
${parameters.length === 0 ? '' : `<h4>Parameters</h4><dl>${parameters.map(parameterHtml).join('')}</dl>`}
${bodies.map((each) => `<h4>Body</h4>${schemaHtml(each.schema)}${examplesHtml(each)}`).join('')}
<h4>Responses</h4><dl>${Object.entries(operation.responses).map(responseHtml).join('')}</dl></article>`
}

function accessHtml({ method, path, operation }: Listed): string {
  if (path === null) return ''
  const isManagement = path.startsWith('/api/v1')
  if (operation.security?.length === 0)
    return `<em>Needs no ${isManagement ? 'token' : 'write key in a header'}.</em>`
  if (!isManagement) return '<em>Needs a write key.</em>'
  const route = path.replace(/^\/api\/v1/, '').replaceAll(/\{(\w+)\}/g, ':$1')
  return `<em>Needs the role ${e(roleFor(`${method.toUpperCase()} ${route}`))}.</em>`
}

function parameterHtml({ name, in: place, required, description, schema }: Parameter): string {
  const about = [place, ...(required ? ['required'] : [])].join(', ')
  const text = description === undefined ? '' : `<p>${e(description)}</p>`
  return `<dt><code>${e(name)}</code> <small>${e(about)}</small></dt><dd>${text}${schemaHtml(schema)}</dd>`
}

function responseHtml([status, { description, headers = {}, content = {} }]: [
  string,
  Response,
]): string {
  const fields = Object.entries(headers).map(
    ([name, header]) => `<p><small>Header ${e(name)}</small> ${e(header.description)}</p>`,
  )
  const schemas = Object.entries(content).map(
    ([type, each]) =>
      `<p><small>${e(type)}</small></p>${schemaHtml(each.schema)}${examplesHtml(each)}`,
  )
  return `<dt><code>${e(status)}</code></dt><dd><p>${e(description)}</p>${[...fields, ...schemas].join('')}</dd>`
}

function examplesHtml({ example, examples }: Content[string]): string {
  const all = examples ? Object.values(examples).map(({ value }) => value) : [example]
  return all
    .filter((value) => value !== undefined)
    .map((value) => `<details><summary>Example</summary><pre>${exampleText(value)}</pre></details>`)
    .join('')
}

function exampleText(value: unknown): string {
  return e(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}
