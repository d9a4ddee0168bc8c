// @peculiar/x509 asks for the reflect-metadata polyfill, but none of its classes has metadata to reflect: answering "none" is all it needs.
Object.assign(Reflect, { getMetadata: () => undefined, getOwnMetadata: () => undefined })
