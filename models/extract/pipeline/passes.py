"""The order in which a page and a document are read: every pass, the columns it reads and writes, and its limits.

To find who decides something, search for the last pass that writes its column; `quire explain` names it for a block.
"""

from typing import Final

from quire.models.extract.steps import RAISES, Pass, find_disorder

# fmt: off
_DRAWN: Final = "horizontals verticals dashes fills shapes pictures fields tags seen split glyphs"
LAYOUT: Final = "layout"
"""The step that is left out, for a paragraph a line, when one of its passes without which there is none raises."""

PRINT_PASSES: Final = (
    Pass("text", "formats.pdf.marks:open_text", "page", "text_page stored images draw frame", fails=RAISES),
    Pass("spans", "formats.pdf.marks:read_spans", "text_page", "spans", fails=RAISES),
    Pass("dropped-letters", "formats.pdf.visibility.type3:find_dropped", "page text_page spans", "dropped"),
    Pass("type-sizes", "formats.pdf.visibility.type3:correct_sizes", "page text_page spans",
         "has_new_sizes text_page[chars]"),
    Pass("resized-spans", "formats.pdf.marks:read_spans", "text_page", "spans", when="has_new_sizes", fails=RAISES),
    Pass("symbols", "formats.pdf.marks:show_picture_fonts", "text_page spans draw", "shown text_page[chars]",
         limits="formats.pdf.text.symbols"),
    Pass("undecoded", "formats.pdf.marks:decode_glyphs", "page text_page spans draw", "decoded text_page[chars]",
         limits="formats.pdf.text.undecoded"),
    Pass("changed-spans", "formats.pdf.marks:read_changed_spans", "text_page spans shown decoded", "spans",
         fails=RAISES),
    Pass("clusters", "formats.pdf.text.clusters:join_signs", "text_page spans", "spans text_page[chars]"),
    Pass("returned-letters", "formats.pdf.visibility.type3:add_dropped", "spans dropped", "spans", when="dropped"),
    Pass("scripts", "formats.pdf.text.scripts:mark_scripts", "text_page spans", "spans text_page[chars]"),
    Pass("weights", "formats.pdf.text.weights:mark_weights", "spans", "spans[flags]"),
    Pass("visibility", "formats.pdf.marks:judge_visibility", "page text_page spans images layers frame draw",
         "sight spans[lines]", limits="formats.pdf.visibility.paint formats.pdf.visibility.copies",
         instead="formats.pdf.marks:leave_unjudged"),
    Pass("parted-lines", "formats.pdf.visibility.type3:part_lines", "spans", "spans", when="has_new_sizes"),
    Pass("lines", "formats.pdf.marks:make_marks", "page number text_page spans stored images frame",
         "marks marks[lines pictures split glyphs pixels] spans[boxes]", fails=RAISES),
    Pass("vertical-lines", "formats.pdf.text.vertical:join_vertical", "marks.lines", "marks.lines"),
    Pass("typewriter", "formats.pdf.text.typewriter:settle_typewriter", "marks.lines", "marks.lines"),
    Pass("blanks", "formats.pdf.text.raw_lines:add_missing_blanks", "marks.lines text_page", "marks.lines"),
    Pass("spaced-letters", "formats.pdf.text.spaced:join_spaced_letters", "marks.lines text_page", "marks.lines"),
    Pass("vectors", "formats.pdf.vectors:add_vectors", "marks[width height] spans",
         "marks[horizontals verticals dashes fills shapes glyph_shapes]"),
    Pass("strikes", "formats.pdf.vectors:strike_out_words", "marks[lines horizontals dashes split]",
         "marks[lines horizontals dashes]"),
    Pass("signs", "formats.pdf.text.signs:take_signs", "page marks[lines horizontals verticals shapes] spans draw",
         "marks[lines horizontals verticals shapes]", when="!frame.turn"),
    Pass("right-to-left-letters", "formats.pdf.text.rtl:order_letters", "marks[lines verticals split] text_page",
         "marks[lines split]", when="!frame.turn"),
    Pass("fractions", "formats.pdf.vectors:write_fractions", "marks[lines horizontals dashes] spans",
         "marks[lines horizontals dashes]"),
    Pass("annotations", "formats.pdf.structure.contents:has_annotations", "page", "is_annotated"),
    Pass("links", "formats.pdf.annotations:add_links", "page marks[lines split]", "marks[lines]", when="is_annotated"),
    Pass("form", "formats.pdf.annotations:add_fields", "page marks[fields]", "marks[fields]", when="is_annotated"),
    Pass("notes", "formats.pdf.annotations:add_notes", "page marks[lines split]",
         "marks[lines comments stamps attached]", when="is_annotated"),
    Pass("sight", "formats.pdf.marks:take_sight", "page marks[] sight decoded draw frame.turn",
         "marks[unseen painted is_inked ligatures]", fails=RAISES),
    Pass("scan-layer", "formats.pdf.marks:mark_layer", "page marks[lines]", "marks[lines layer_ink]",
         when="sight.has_layer", fails=RAISES),
    Pass("tags", "formats.pdf.marks:add_tags", "page marks[lines split] shown.codes", "marks[tags warnings]",
         when="tagged"),
    Pass("second-engine", "formats.pdf.opinions:check_content", "page marks[number lines unseen painted] referee",
         "marks[lines painted engine tags unseen warnings]"),
    Pass("opinion", "formats.pdf.opinions:invite_opinion", "marks[] detected", "marks[doubts seen]",
         when="options.second_opinion"),
)
"""What is printed on a page, from the engine's text."""

PLAN_PASSES: Final = (
    Pass("plan", "pipeline.plan:plan_page", "marks options", "plan", limits="text_quality.garbled"),
)
"""Whether the text layer is read or recognised."""

LAYOUT_PASSES: Final = (
    Pass("chart-data", "layout.figures.charts:find_charts",
         "marks[lines shapes fills horizontals verticals pictures drawn]", "charts",
         limits="layout.charts layout.figures.charts"),
    Pass("turned-text", "layout.page:stand_upright", f"marks[width height lines {_DRAWN}] charts", "upright turned",
         limits="layout.lines.turned", instead="layout.page:leave_turned"),
    Pass("right-to-left", "layout.page:mirror_page", f"upright[width lines {_DRAWN}]", "upright mirror"),
    Pass("hyphens", "layout.page:learn_hyphens", "upright.lines", "upright.divides", limits="layout.text.hyphens"),
    Pass("trusted-tags", "layout.tags.trust:trust_tags", "upright[tags lines height]", "tag_plan upright[warnings]",
         when="upright.tags"),
    Pass("line-numbers", "layout.text.line_numbers:take_line_numbers", "upright", "upright line_numbers",
         when="!tag_plan"),
    Pass("body-size", "layout.page:measure_text", "upright.lines", "body lines", fails=LAYOUT),
    Pass("field-lines", "layout.figures.floats:take_field_lines", "upright.fields lines", "fields lines",
         when="upright.fields"),
    Pass("chart-labels", "layout.figures.charts:take_labels", "charts lines turned mirror", "charts lines",
         when="charts"),
    Pass("tagged-tables", "layout.tags.follow:take_tagged_tables", "tag_plan lines", "stated_tables lines",
         when="tag_plan"),
    Pass("turned-tables", "layout.tables.scoring.turned:find_turned_tables", "upright lines", "turned_tables lines",
         limits="layout.lines.turned"),
    Pass("tables", "layout.tables.scoring.find:find_tables", "upright lines", "tables lines upright[doubts orders]",
         limits="core layout.tables"),
    Pass("panels", "layout.figures.panels:free_panels", "tables lines", "tables lines", when="tables"),
    Pass("table-titles", "layout.page:return_titles", "tables lines", "lines tables[lines]",
         limits="layout.tables.scoring.titles", when="tables"),
    Pass("addresses", "layout.page:return_addresses", "tables upright lines", "lines tables[lines]",
         limits="layout.tables.scoring.addresses", when="tables"),
    Pass("all-tables", "layout.page:join_tables", "tables stated_tables turned_tables", "tables", fails=LAYOUT),
    Pass("fields", "layout.figures.forms:settle_fields", "fields tables lines", "fields lines tables[cells]", when="fields"),
    Pass("small-marks", "layout.lines.inline:attach_marks", "lines", "lines"),
    Pass("drop-caps", "layout.lines.dropcaps:join_drop_caps", "lines body", "lines"),
    Pass("wide-lines", "layout.lines.inline:stretch_over_pictures", "lines upright.pictures body", "lines",
         when="upright.pictures"),
    Pass("pictures", "layout.page:find_outer_pictures", "upright lines body tables", "pictures lines",
         limits="layout.figures.pictures"),
    Pass("charts", "layout.figures.charts:place_charts", "charts pictures lines upright",
         "pictures chart_texts lines upright[warnings]", when="charts", fails=LAYOUT),
    Pass("icons", "layout.figures.icons:find_icons", "upright lines pictures tables", "icons lines[bulleted]"),
    Pass("formulas", "layout.figures.displays:find_formulas", "upright lines body", "formulas lines"),
    Pass("floats", "layout.page:place_floats", "tables pictures chart_texts formulas fields lines",
         "floats lines slanted",
         fails=LAYOUT),
    Pass("order", "layout.page:order_page", "lines floats upright.orders", "ordered upright[orders]",
         limits="layout.text.order", instead="layout.page:order_plainly"),
    Pass("pieces", "layout.lines.pieces:merge_pieces", "ordered", "ordered"),
    Pass("lettered-notes", "layout.lines.pieces:mark_lettered", "ordered", "ordered[bulleted]"),
    Pass("contents", "layout.lines.pieces:merge_entries", "ordered upright.width", "ordered is_contents"),
    Pass("parted-text", "layout.text.rejoin:rejoin_lines", "ordered", "ordered", when="!is_contents"),
    Pass("entries", "layout.page:part_lines", "ordered", "groups", when="is_contents", fails=LAYOUT),
    Pass("paragraphs", "layout.text.paragraphs:group_paragraphs", "ordered body", "groups", when="!is_contents",
         instead="layout.page:part_lines"),
    Pass("formula-lines", "layout.text.formulas:merge_formulas", "groups", "groups", when="!is_contents"),
    Pass("slanted-text", "layout.page:add_slanted", "groups slanted", "groups", limits="layout.text.wide",
         when="slanted", instead="layout.page:add_slanted_plainly"),
    Pass("look", "layout.page:find_look", "upright lines body is_contents", "look", fails=LAYOUT),
    Pass("furniture", "layout.text.furniture:find_furniture", "groups look upright", "running"),
    Pass("margin-marks", "layout.page:mark_margins", "groups look running", "running", limits="layout.text.furniture"),
    Pass("kinds", "layout.page:find_kinds", "groups look running floats", "kinds", limits="layout.text.kinds",
         fails=LAYOUT),
    Pass("footnotes", "layout.page:mark_footnotes", "kinds groups look running", "kinds",
         limits="layout.text.furniture"),
    Pass("heading-parts", "layout.text.kinds:mark_heading_parts", "kinds groups look", "kinds"),
    Pass("heading-runs", "layout.text.kinds:demote_runs", "kinds groups", "kinds"),
    Pass("numbered-lines", "layout.text.line_numbers:keep_numbered", "kinds groups line_numbers look", "kinds",
         when="line_numbers"),
    Pass("headings", "layout.headings.decide:decide_headings", "kinds groups upright look", "kinds chances"),
    Pass("titled-items", "layout.text.kinds:mark_titled_items", "kinds groups", "kinds"),
    Pass("heading-numbers", "layout.text.kinds:mark_heading_parts", "kinds groups look", "kinds"),
    Pass("joined-headings", "layout.headings.joins:join_headings", "kinds groups body", "kinds groups",
         when="!tag_plan"),
    Pass("listings", "layout.text.listings:join_listings", "kinds groups", "kinds groups", when="!tag_plan"),
    Pass("typed-groups", "layout.page:type_groups", "kinds groups", "typed", fails=LAYOUT),
    Pass("tagged-groups", "layout.page:type_by_tags", "tag_plan kinds groups floats", "typed", when="tag_plan"),
    Pass("inline-formulas", "layout.page:mark_formulas", "typed upright", "typed", limits="math.inline"),
    Pass("note-places", "layout.page:place_notes", "typed", "typed"),
    Pass("blocks", "layout.page:write_blocks", "typed floats upright", "blocks", fails=LAYOUT),
    Pass("formula-text", "layout.page:write_formulas", "blocks typed floats", "blocks"),
    Pass("number-block", "layout.page:add_line_numbers", "blocks line_numbers upright", "blocks", when="line_numbers"),
    Pass("icon-blocks", "layout.figures.icons:add_icons", "blocks icons upright", "blocks", when="icons"),
    Pass("relations", "layout.text.relations:relate_blocks", "blocks", "blocks"),
    Pass("mirrored-back", "layout.page:mirror_back", "blocks mirror number", "blocks", when="mirror", fails=LAYOUT),
    Pass("turned-back", "layout.page:turn_back", "blocks turned marks body", "blocks", when="turned", fails=LAYOUT),
)
"""From lines to typed blocks in reading order, for printed and for recognised pages."""

CONTENT_PASSES: Final = (
    Pass("stamps", "formats.pdf.annotations:type_stamps", "blocks marks.stamps", "blocks", when="marks.stamps"),
    Pass("unseen-text", "pipeline.content:add_unseen", "blocks marks body", "blocks"),
    Pass("undecoded-flags", "text_quality.miscoded:flag_undecoded", "blocks marks.ligatures", "blocks"),
    Pass("miscoded-flags", "text_quality.miscoded:flag_miscoded", "blocks", "blocks"),
    Pass("garbled-text", "pipeline.content:find_garbled_parts", "blocks plan marks", "blocks areas",
         limits="text_quality.garbled", when="plan.garbled"),
    Pass("text-in-pictures", "pipeline.content:find_read_pictures", "page plan blocks options marks", "picture_areas",
         limits="formats.pdf.visibility.picture_text", when="page"),
    Pass("coverage", "pipeline.content:account", "marks plan blocks", "coverage"),
    Pass("comments", "pipeline.content:add_comments", "blocks marks", "blocks", fails=RAISES),
    Pass("content", "pipeline.content:make_content",
         "number marks plan body blocks areas picture_areas coverage detected", "content", fails=RAISES),
    Pass("words", "pipeline.content:keep_words", "content marks", "content", when="options.words"),
    Pass("drawing", "pipeline.content:draw_for_recogniser", "page content options", "pixels"),
    Pass("second-opinion", "formats.pdf.opinions:draw_if_doubted", "page marks content options", "doubted",
         when="!detected"),
)
"""From the blocks of a printed page to its content."""

PAGE_PASSES: Final = (*PRINT_PASSES, *PLAN_PASSES, *LAYOUT_PASSES, *CONTENT_PASSES)

DOCUMENT_PASSES: Final = (
    Pass("drafts", "document.draft:make_drafts", "pages", "drafts", fails=RAISES),
    Pass("running-tables", "document.running_heads:free_running_tables", "drafts", "drafts", when="is_drawn"),
    Pass("running-rows", "document.running_heads:free_running_rows", "drafts", "drafts", when="is_drawn"),
    Pass("line-end-hyphens", "document.hyphens:settle_hyphens", "drafts", "gained drafts[block]"),
    Pass("running-heads", "document.running_heads:mark_running", "drafts", "drafts"),
    Pass("flat-levels", "document.levels:free_flat_levels", "drafts", "has_flat_tags drafts[level]"),
    Pass("levels", "document.levels:set_levels", "drafts pages facts.outline", "drafts"),
    Pass("joins", "document.joins:link_joins", "drafts", "drafts"),
    Pass("continued-tables", "document.continued:join_tables", "drafts", "drafts repeated", when="joins_tables"),
    Pass("picture-limit", "document.draft:limit_pictures", "drafts options.max_assets",
         "has_all_pictures drafts[block]", fails=RAISES),
    Pass("table-checks", "document.table_checks:check_blocks", "drafts", "checked",
         instead="document.table_checks:leave_unchecked"),
    Pass("confidence", "document.confidence:rate_blocks", "drafts checked", "rated",
         instead="document.confidence:rate_plainly"),
    Pass("tree-blocks", "pipeline.assemble:make_blocks", "drafts checked rated", "blocks", fails=RAISES),
    Pass("document-coverage", "pipeline.assemble:count_coverage", "facts pages blocks gained repeated", "coverage",
         fails=RAISES),
)
"""From the pages of a document, of any format, to its blocks."""
# fmt: on

PAGE_INPUTS: Final = ("options", "number", "page", "layers", "tagged", "referee", "detected")
DOCUMENT_INPUTS: Final = ("facts", "pages", "options")
if faults := [*find_disorder(PAGE_PASSES, PAGE_INPUTS), *find_disorder(DOCUMENT_PASSES, DOCUMENT_INPUTS)]:
    raise RuntimeError("; ".join(faults))
