const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Elements that draw or define a drawing. Scripts, animations, links and foreign content are not included. */
export const elementNames = words(`
  svg g defs symbol use switch title desc style
  path rect circle ellipse line polyline polygon image text tspan textPath
  linearGradient radialGradient stop pattern clipPath mask marker filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode
  feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`);

/** Elements with significant text. */
export const textElements = words('text tspan textPath title desc');

/** Attributes with numbers, colours, names or lists of them. Links are checked separately. */
export const attributeNames = words(`
  id class style xml:space role version viewBox preserveAspectRatio overflow
  x y x1 y1 x2 y2 z cx cy r rx ry fx fy fr dx dy width height d points pathLength rotate transform
  fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
  stroke-miterlimit stroke-opacity stroke-width opacity color color-interpolation color-interpolation-filters
  display visibility paint-order shape-rendering text-rendering image-rendering vector-effect mix-blend-mode
  isolation enable-background
  clip-path clip-rule clipPathUnits mask maskUnits maskContentUnits mask-type filter filterUnits primitiveUnits
  gradientUnits gradientTransform spreadMethod offset stop-color stop-opacity
  patternUnits patternContentUnits patternTransform
  marker-start marker-mid marker-end markerUnits markerWidth markerHeight refX refY orient
  font font-family font-size font-style font-variant font-weight font-stretch letter-spacing word-spacing
  text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift writing-mode direction
  textLength lengthAdjust startOffset method spacing
  in in2 result mode type values operator k1 k2 k3 k4 tableValues slope intercept amplitude exponent
  order kernelMatrix divisor bias targetX targetY edgeMode preserveAlpha surfaceScale diffuseConstant
  specularConstant specularExponent kernelUnitLength scale xChannelSelector yChannelSelector
  azimuth elevation pointsAtX pointsAtY pointsAtZ limitingConeAngle flood-color flood-opacity lighting-color
  stdDeviation radius baseFrequency numOctaves seed stitchTiles`);

/** CSS and `transform` functions that only calculate. */
export const safeFunctions = words(`
  rgb rgba hsl hsla calc matrix translate translatex translatey rotate scale scalex scaley skewx skewy
  blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia`);

const linking = words('use textPath linearGradient radialGradient pattern filter');

/** Allows references to the same document, and embedded pixels in an image. */
export function isReferring(element: string, link: string): boolean {
  if (element === 'image')
    return /^data:image\/(?:png|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(link.replace(/\s/g, ''));
  return linking.has(element) && /^\s*#[\w.:-]+\s*$/.test(link);
}
