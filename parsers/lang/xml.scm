; XML: what has an id or a name, and what Maven, Ant and MSBuild say.

(Comment) @comment

(element
  (STag (Name) @_tag (Attribute (Name) @_id (AttValue) @name))
  . (content)? @body
  (#any-of? @_tag "target" "Target")
  (#any-of? @_id "name" "Name")) @definition.target
(element
  [
    (STag (Attribute (Name) @_id (AttValue) @name))
    (EmptyElemTag (Attribute (Name) @_id (AttValue) @name))
  ]
  . (content)? @body
  (#any-of? @_id "id" "name" "Name" "xml:id" "android:id" "x:Name")) @definition.element

; Maven's project, its parent and what it depends on.
(document
  root: (element
    (STag (Name) @_project)
    (content
      (element (STag (Name) @_artifact) (content . (CharData) @name .)) @definition.module))
  (#eq? @_project "project")
  (#eq? @_artifact "artifactId"))
(element
  (STag (Name) @_tag)
  (content
    (element (STag (Name) @_artifact) (content . (CharData) @module .)))
  (#any-of? @_tag "dependency" "plugin" "parent")
  (#eq? @_artifact "artifactId")) @reference.import
(element
  (STag (Name) @_tag)
  (content (element (STag (Name) @name)) @definition.key)
  (#any-of? @_tag "properties" "PropertyGroup"))

(element
  [
    (STag (Name) @_tag (Attribute (Name) @_project (AttValue) @module))
    (EmptyElemTag (Name) @_tag (Attribute (Name) @_project (AttValue) @module))
  ]
  (#any-of? @_tag "Import" "PackageReference" "ProjectReference" "Reference" "xs:import" "xs:include"
    "xsl:import" "xsl:include" "import" "include")
  (#any-of? @_project
    "Project" "Include" "schemaLocation" "href" "file" "resource")) @reference.import
(Attribute
  (Name) @_depends
  (AttValue) @name @reference.call
  (#any-of? @_depends "depends" "DependsOnTargets" "BeforeTargets" "AfterTargets")
  (#match? @name "^.[^,; ]+.$"))
