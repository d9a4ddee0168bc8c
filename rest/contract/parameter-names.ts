/** Spells an input of the services as a route's clients know it. */
export type SpellParameter = (parameter: string) => string

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How error texts of this route name parameters; as the services do, in camelCase, by default. */
    spellParameter?: SpellParameter
  }
}

export const snakeCase: SpellParameter = (parameter) =>
  parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
