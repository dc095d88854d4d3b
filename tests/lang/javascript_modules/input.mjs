#!/usr/bin/env node
import fs, { readFile, writeFile as write } from 'node:fs/promises'
import * as path from 'node:path'
import './side-effects.js'
import React from 'react'
export { parse } from './parse.js'
export * from './types.js'

// Where themes are kept.
export const THEMES = new Map()
const cache = new Map()

/* Loads a theme by name. */
export async function loadTheme (name) {
  if (cache.has(name)) return cache.get(name)
  const text = await readFile(path.join('themes', name))
  const theme = normalize(JSON.parse(text))
  cache.set(name, theme)
  return theme
}

function normalize (theme) {
  return { ...theme, colors: theme.colors ?? [] }
}

const hidden = (theme) => theme.colors.map(c => c.trim())

const published = function (theme) {
  return hidden(theme)
}

export class ThemeStore extends Store.Base {
  themes = []

  add (theme) {
    super.add(theme)
    this.themes.push(theme)
  }
}

export default function Picker ({ themes, onPick }) {
  const [open, setOpen] = React.useState(false)
  const pick = (theme) => {
    setOpen(false)
    onPick(theme)
  }
  return (
    <Menu open={open}>
      {themes.map(t => <Menu.Item key={t.name} onClick={() => pick(t)} />)}
      <span>none</span>
    </Menu>
  )
}

export { published, ThemeStore as Store }

const lazy = () => import('./lazy.js').then(m => m.start())
